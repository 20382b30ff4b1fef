import { type Command, Option } from 'commander';

/** A switch that cannot be given together with its opposites. */
export function eitherOption(
  flag: string,
  opposites: string | readonly string[],
  description: string,
): Option {
  return new Option(`--${flag}`, description).conflicts([opposites].flat().map(keyOf));
}

/** `alert-note` → `alertNote`. */
export function keyOf(long: string): string {
  return long.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export function addTeamOption(command: Command): Command {
  return command.requiredOption('--team <T>', "the team's name, or its id");
}

/** In the given order. */
export function repeatedOption(flags: string, description: string): Option {
  const add = (text: string, before: string[] | undefined) => [...(before ?? []), text];
  return new Option(flags, description).argParser<string[] | undefined>(add);
}

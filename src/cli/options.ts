import { type Command, Option } from 'commander';
import { CRON } from '#work/resources/cron';
import { readWhole } from '#work/resources/resource';
import { accept, fieldsOf } from './readings.ts';

/** A switch that cannot be given together with its opposite. */
export function eitherOption(flag: string, opposite: string, description: string): Option {
  return new Option(`--${flag}`, description).conflicts(opposite);
}

export function addTeamOption(command: Command): Command {
  return command.requiredOption('--team <T>', "the team's name, or its id");
}

/** An option that may be given several times; its value is the list in the order given. */
export function repeatedOption(flags: string, description: string): Option {
  const add = (text: string, before: string[] | undefined) => [...(before ?? []), text];
  return new Option(flags, description).argParser<string[] | undefined>(add);
}

/** The option for tags of a cron or queue (§2.13). The tags given replace all present ones. */
export function tagOption(): Option {
  return repeatedOption('--tag <TAG>', 'a tag; may be repeated. Those given replace all');
}

/** Undefined where neither `--tag` nor `--no-tags` was given. */
export function readTagOptions({
  tag,
  tags,
}: {
  tag?: string[];
  tags?: boolean;
}): readonly string[] | undefined {
  if (tag === undefined) return tags === false ? [] : undefined;
  const reading = readWhole({ tags: CRON.tags }, fieldsOf({ tags: JSON.stringify(tag) }));
  return accept(reading, { tags: '--tag' }).tags;
}

export function addTagFilter(command: Command): Command {
  return command.option('--tag <TAG>', 'only those that have it');
}

/** The items that have the tag; all items where no tag is given. */
export function withTag<Item extends { tags: readonly string[] }>(
  items: readonly Item[],
  tag: string | undefined,
): readonly Item[] {
  if (tag === undefined) return items;
  const [wanted] = readTagOptions({ tag: [tag] }) ?? [];
  return items.filter(({ tags }) => wanted !== undefined && tags.includes(wanted));
}

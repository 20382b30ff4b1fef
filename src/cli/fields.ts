import { type Command, Option } from 'commander';
import { readJsonField, readTopLevelFields } from '#domain/json/text';
import type { Fields, Reading } from '#work/fields';
import { type OptionSpec, type Part, partsOf, type Resource } from '#work/resources/resource';
import { toJson } from '#work/resources/resource';
import { CommandFault } from './fault.ts';
import { eitherOption, keyOf, repeatedOption } from './options.ts';
import { readSecret, refuseBlank, SECRET_FROM } from './secrets.ts';
import type { Session } from './session.ts';

/** `false` for a `--no-…` form. */
export type Options = Readonly<Record<string, unknown>>;

type PartWithOption = Part & { option: OptionSpec };

function optionsOf<Thing extends object>(resource: Resource<Thing>): PartWithOption[] {
  return partsOf(resource).filter((part): part is PartWithOption => part.option !== undefined);
}

/**
 * @param how `isNew`: the help names required ones. `takesNone`: with options that remove a
 * value
 */
export function addFieldOptions<Thing extends object>(
  command: Command,
  resource: Resource<Thing>,
  { isNew = false, takesNone = true }: { isNew?: boolean; takesNone?: boolean } = {},
): Command {
  for (const part of optionsOf(resource)) {
    const { none, isForNew } = part.option;
    if (isForNew && !isNew) continue;
    addOption(command, part, isNew);
    if (takesNone && none !== undefined) command.option(`--no-${longOfNone(part)}`, none);
  }
  return command;
}

function addOption(command: Command, part: PartWithOption, isNew: boolean): void {
  const { flags, opposite, choices, isSecret } = part.option;
  const mark = isNew && part.isRequired ? ' (required)' : '';
  const help = `${part.option.help}${isSecret ? SECRET_FROM : ''}${mark}`;
  const long = longOf(part);
  if (isRepeated(part)) command.addOption(repeatedOption(flags, help));
  else if (opposite) {
    command.addOption(eitherOption(long, opposite.long, help));
    const { excludes = [] } = opposite;
    command.addOption(eitherOption(opposite.long, [long, excludes].flat(), opposite.help));
  } else if (choices) {
    const isMandatory = isNew && part.option.isMandatory === true;
    command.addOption(new Option(flags, help).choices(choices).makeOptionMandatory(isMandatory));
  } else command.option(flags, help);
}

function isRepeated({ kind }: Part): boolean {
  return ['words', 'headers', 'channels', 'sources'].includes(kind);
}

/** `--alert-note <TEXT>` → `alert-note` */
function longOf({ option: { flags } }: PartWithOption): string {
  return /[\w-]+/.exec(flags.slice(2))?.[0] ?? '';
}

/** The name in the negated option: `--tag` has `--no-tags`. */
function longOfNone(part: PartWithOption): string {
  return isRepeated(part) ? `${longOf(part)}s` : longOf(part);
}

export async function readOptions<Thing extends object>(
  session: Session,
  resource: Resource<Thing>,
  options: Options,
): Promise<Fields> {
  const members: [name: string, json: string][] = [];
  for (const part of optionsOf(resource))
    members.push(...(await readOption(session, part, options)));
  const pairs = members.map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return readTopLevelFields(`{${pairs.join()}}`) ?? new Map();
}

async function readOption(
  session: Session,
  part: PartWithOption,
  options: Options,
): Promise<[name: string, json: string][]> {
  const { name, kind, option } = part;
  const given = options[keyOf(longOf(part))];
  const isRemoved = given === false || options[keyOf(longOfNone(part))] === false;
  if (option.opposite && options[keyOf(option.opposite.long)]) return [[name, 'false']];
  if (Array.isArray(given)) {
    if (isRemoved)
      throw new CommandFault(`--${longOf(part)}: Leave out --no-${longOfNone(part)} with it.`);
    return [[name, await writeList(session, part, given as string[])]];
  }
  if (isRemoved) return [[name, kind === 'channels' ? '[]' : 'null']];
  if (given === true) return [[name, String(option.isOff !== true)]];
  if (typeof given !== 'string') return [];
  refuseBlank(`--${longOf(part)}`, given);
  if (kind === 'boolean') return [[name, String(given === 'on')]];
  if (kind === 'json') return [[name, readJsonOption(`--${longOf(part)}`, given)]];
  if (option.switches !== undefined) {
    if (given === 'off') return [[option.switches, 'false']];
    return [
      [option.switches, 'true'],
      [name, JSON.stringify(given)],
    ];
  }
  const text = option.isSecret ? await readSecret(session, `--${longOf(part)}`, given) : given;
  return [[name, JSON.stringify(text)]];
}

async function writeList(
  session: Session,
  { kind }: Part,
  given: readonly string[],
): Promise<string> {
  if (kind === 'headers') {
    const lines = given.includes('-') ? await readSecret(session, '--header', '-') : '';
    const stdin = lines.split(/\r?\n/).filter((line) => line.trim() !== '');
    const all = given.flatMap((text) => (text === '-' ? stdin : text)).map(readHeader);
    const headers = new Map(all);
    if (headers.size < all.length) throw new CommandFault('--header: A name was given twice.');
    return toJson(headers);
  }
  return JSON.stringify(kind === 'sources' ? readSources(given) : given);
}

/** Reads `team`, or texts such as `cron:Nightly` and `queue:mails`. */
function readSources(given: readonly string[]) {
  if (given.length === 1 && given[0] === 'team') return 'team';
  const read = given.map((text) => /^(cron|queue):(.+)$/s.exec(text));
  if (read.includes(null))
    throw new CommandFault('--covers: It must be team, cron:NAME or queue:NAME.');
  const namesOf = (kind: string) =>
    read.flatMap((each) => (each?.[1] === kind ? [String(each[2])] : []));
  return { crons: namesOf('cron'), queues: namesOf('queue') };
}

function readHeader(text: string): [name: string, value: string] {
  const [, name, value] = /^([^:]+):\s?(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    // The message leaves the text out: it may hold a secret.
    throw new CommandFault('--header: It must be a name, a colon and a value.');
  }
  return [name.trim(), value];
}

/** The text of any JSON value, as given. */
function readJsonOption(option: string, text: string): string {
  // The field's reader checks the depth.
  if (readJsonField(text) !== null) return text.trim();
  throw new CommandFault(`${option}: It must be written as JSON.`);
}

/** Throws a CommandFault that names every wrong option. */
export function accept<Input, Thing extends object>(
  resource: Resource<Thing>,
  reading: Reading<Input>,
): Input {
  if (reading.ok) return reading.input;
  const names = new Map(optionsOf(resource).map((part) => [part.name, `--${longOf(part)}`]));
  const lines = reading.errors.map(([field, messages]) => {
    const [top = field] = field.split('.', 1);
    return `${names.get(field) ?? names.get(top) ?? field}: ${messages.join(' ')}`;
  });
  throw new CommandFault(lines.join(' '));
}

import { type Command, InvalidArgumentError, Option } from 'commander';
import { isId } from '#domain/base/ids';
import { MOST_LISTED } from '#work/list-limit';
import { readOneTag } from '#work/resources/request';
import { CommandFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import type { Session, TeamPlace } from './session.ts';

const LISTED_BY_DEFAULT = 100;
/** Each may have a body of 64 KiB. */
const AT_ONCE = 100;

interface ListOptions {
  limit: number;
  before?: string | undefined;
  all?: true | undefined;
}

interface Page {
  limit: number;
  before?: string;
}

function addListOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--limit <N>', `how many, at most ${MOST_LISTED}`)
        .default(LISTED_BY_DEFAULT)
        .argParser(readLimit),
    )
    .addOption(new Option('--before <ID>', 'only records older than this one').argParser(readId))
    .addOption(
      new Option('--all', 'everything, however much: one JSON record a line').conflicts('limit'),
    );
}

function readLimit(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST_LISTED) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_LISTED}.`);
}

function readId(text: string): string {
  if (isId(text)) return text;
  throw new InvalidArgumentError('It must be the id of a record, such as the last of a list.');
}

/**
 * @param columns of a table
 * @param find gives the place that the options name
 */
export function addPagedList<Written extends { id: string }, Given, Place>(
  session: Session,
  command: Command,
  columns: readonly (keyof Written & string)[],
  find: (options: Given) => Promise<Place>,
  readPage: (place: Place, page: Page, options: Given) => Promise<Written[]>,
): void {
  addListOptions(command).action(async (options: ListOptions & Given) => {
    const { limit, before, all } = options;
    const place = await find(options);
    const read = (most: number, id: string | undefined) =>
      readPage(place, { limit: most, ...(id !== undefined && { before: id }) }, options);
    if (!all) return session.printList(await read(limit, before), columns);
    if (session.output === 'table')
      throw new CommandFault('--all prints JSON lines; a table has --limit and --before.');
    // The reader takes each page before the next is read, so memory stays at one page.
    for (let from = before; ;) {
      const page = await read(AT_ONCE, from);
      for (const record of page) session.printLine(record);
      await session.services.terminal.drained();
      from = page.at(-1)?.id;
      if (page.length < AT_ONCE || from === undefined) return;
    }
  });
}

export function addTeamList<Written extends { id: string }, Given>(
  session: Session,
  command: Command,
  columns: readonly (keyof Written & string)[],
  readPage: (place: TeamPlace, page: Page, options: Given & { team: string }) => Promise<Written[]>,
): void {
  const find = ({ team }: Given & { team: string }) => session.findTeam(team);
  addPagedList(session, addTeamOption(command), columns, find, readPage);
}

/** All items without a tag. */
export function withTag<Item extends { tags?: readonly string[] }>(
  items: readonly Item[],
  text: string | undefined,
): readonly Item[] {
  if (text === undefined) return items;
  const tag = takeTag('tag', text);
  return items.filter(({ tags }) => tags?.includes(tag) === true);
}

export function takeTag(option: string, text: string): string {
  const read = readOneTag(text);
  if ('error' in read) throw new CommandFault(`--${option}: ${read.error}`);
  return read.tag;
}

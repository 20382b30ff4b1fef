import { type Command, InvalidArgumentError, Option } from 'commander';
import { isId } from '#domain/ids';
import { MOST_LISTED } from '#work/list-limit';
import { CommandFault } from './fault.ts';
import type { Session } from './session.ts';

const LISTED_BY_DEFAULT = 100;
/** How many records `--all` holds in memory at once: each may carry a response body of 64 KiB. */
const AT_ONCE = 100;

export interface ListOptions {
  limit: number;
  before?: string;
  all?: true;
}

interface Page {
  limit: number;
  before?: string;
}

/** Adds `--limit`, `--before` and `--all`, for lists that begin with the newest. */
export function addListOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--limit <N>', `how many, at most ${MOST_LISTED}`)
        .default(LISTED_BY_DEFAULT)
        .argParser(readLimit),
    )
    .addOption(new Option('--before <ID>', 'only what is older than this one').argParser(readId))
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
 * Prints one page, or with `--all` every page. It reads the next page when the reader has taken the one before, so
 * memory stays at one page.
 *
 * @param columns  the fields that a table shows of each record
 */
export async function printList<Written extends { id: string }>(
  session: Session,
  { limit, before, all }: ListOptions,
  readPage: (page: Page) => Promise<Written[]>,
  columns: readonly (keyof Written & string)[],
): Promise<void> {
  if (!all) {
    const page = await readPage({ limit, ...(before !== undefined && { before }) });
    session.printList(page, columns);
    return;
  }
  if (session.output === 'table') {
    throw new CommandFault('--all prints JSON lines; a table has --limit and --before.');
  }
  for (let from = before; ;) {
    const page = await readPage({ limit: AT_ONCE, ...(from !== undefined && { before: from }) });
    for (const record of page) session.printLine(record);
    await session.services.terminal.drained();
    from = page.at(-1)?.id;
    if (page.length < AT_ONCE || from === undefined) return;
  }
}

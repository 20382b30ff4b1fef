import { parseCronExpression } from '../cron/cron.ts';
import type { HeaderList, HttpMethod } from './exchange.ts';
import { LIMITS } from '../base/limits.ts';
import { fault, readCommand } from './paste-options.ts';
import { type ShellItem, splitShellWords } from './shell-words.ts';

/** Not validated yet. */
export interface PastedRequest {
  method: HttpMethod;
  url: string;
  headers: HeaderList;
  /** JSON or text, or form data as a JSON object. */
  payload: string;
  /** 1 to 300. */
  timeoutSeconds: number | null;
}

interface PastedCron extends PastedRequest {
  cronExpression: string;
  name: string;
}

/** `notes`: left out or changed; `text`: the error. */
export type Pasted<Draft> =
  | { kind: 'draft'; draft: Draft; notes: string[] }
  | { kind: 'error'; text: string };

const MOST_PASTED_CHARACTERS = 262_144;
const MOST_WORDS = 2_000;

/** Runs and expands nothing. */
export function parseCurl(text: string): Pasted<PastedRequest> {
  return parseCommand(text.replace(/^\s*\$\s+/, ''));
}

/** Five fields or a shortcut, then curl or wget. */
export function parseCrontabLine(text: string): Pasted<PastedCron> {
  if (text.length > MOST_PASTED_CHARACTERS) return fault(TOO_LONG);
  const line = text.split(/\r?\n/).find((each) => !/^\s*(?:#|$)/.test(each));
  if (line === undefined) return fault('There is no line to read.');
  const parts = /^\s*(@\w+|\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(\S.*)$/.exec(line);
  if (!parts) return fault(NO_CRONTAB);
  const [, schedule = '', command = ''] = parts;
  const cronExpression = schedule.trim().replaceAll(/\s+/g, ' ');
  const wrong = findScheduleFault(cronExpression);
  if (wrong !== null) return fault(wrong);
  const read = parseCommand(undoPercent(command));
  if (read.kind === 'error') return read;
  const { draft, notes } = read;
  const named = { ...draft, cronExpression, name: nameOf(draft.url) };
  return { kind: 'draft', draft: named, notes: [LOCAL_TIMES, ...notes] };
}

export function looksLikeCrontab(text: string): boolean {
  return (
    /^\s*(?:@\w+|[\d*,/?A-Za-z-]+(?:\s+[\d*,/?#A-Za-z-]+){4})\s+\S/.test(text) &&
    !/^\s*(?:\$\s+)?(?:curl|wget)\b/.test(text)
  );
}

const TOO_LONG = 'This is longer than any command that is read here.';
const NO_CRONTAB =
  'This is no crontab line. It has five fields (or a shortcut such as @daily) and then the command.';
const HAS_VARIABLES =
  'The command has variables such as $NAME. They are kept unchanged: replace them with their values.';
const ONLY_REQUEST = 'Only the request was read; the text around it is left out.';
const LOCAL_TIMES =
  'A crontab uses its machine’s local time; here times are in UTC. Check the schedule.';

function findScheduleFault(expression: string): string | null {
  if (expression.toLowerCase() === '@reboot') return '@reboot has no time at which it could run.';
  const schedule =
    expression.length > LIMITS.cronExpressionCharacters
      ? 'invalid'
      : parseCronExpression(expression);
  if (schedule === 'invalid') return `The schedule "${expression.slice(0, 80)}" can’t be read.`;
  return schedule === 'never' ? 'The schedule names only days that do not exist.' : null;
}

/** `\%` is a percent sign; a bare `%` ends the command. */
function undoPercent(command: string): string {
  const end = /(?<!\\)%/.exec(command)?.index ?? command.length;
  return command.slice(0, end).replaceAll(String.raw`\%`, '%');
}

function nameOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { host, pathname } = new URL(url);
  return `${host}${pathname === '/' ? '' : pathname}`.slice(0, LIMITS.nameCharacters);
}

/** From the first curl or wget to the end of its command. */
function parseCommand(text: string): Pasted<PastedRequest> {
  if (text.length > MOST_PASTED_CHARACTERS) return fault(TOO_LONG);
  if (text.trim() === '') return fault('There is no command to read.');
  const { items, isOpen, hasExpansions } = splitShellWords(text);
  if (isOpen) return fault('A quote is opened and not closed. Paste the whole command.');
  if (items.length > MOST_WORDS) return fault(TOO_LONG);
  const start = items.findIndex((item) => item.kind === 'word' && toolOf(item.text) !== null);
  const tool = toolOf(items[start]?.text ?? '');
  if (tool === null) return fault('There is no curl or wget in this command.');
  const words: string[] = [];
  let end = start + 1;
  for (; end < items.length; end++) {
    const item = items[end];
    if (item?.kind === 'word') words.push(item.text);
    else if (item && '<>'.includes(item.text)) end += redirected(items, end);
    else break;
  }
  const isAlone = items.slice(end).every(({ kind }) => kind === 'operator') && start === 0;
  const read = readCommand(tool, words);
  if (read.kind === 'error') return read;
  const notes = [...(hasExpansions ? [HAS_VARIABLES] : []), ...(isAlone ? [] : [ONLY_REQUEST])];
  return { ...read, notes: [...notes, ...read.notes] };
}

/** Items that belong to a `<` or `>`: `> file`, `>> file`, `>& 1`. */
function redirected(items: readonly ShellItem[], at: number): number {
  let skipped = 0;
  while (
    items[at + skipped + 1]?.kind === 'operator' &&
    '<>&'.includes(items[at + skipped + 1]?.text ?? '')
  ) {
    skipped++;
  }
  return items[at + skipped + 1]?.kind === 'word' ? skipped + 1 : skipped;
}

function toolOf(word: string): 'curl' | 'wget' | null {
  const name = word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
  return name === 'curl' || name === 'wget' ? name : null;
}

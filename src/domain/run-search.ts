/** The filters of the list of runs, in an address and at the command line. */

import { CONNECTION_FAULTS, type FaultCode } from './connection-faults.ts';
import { type FailureReason, reasonNames, reasons } from './failure.ts';
import { FilterReader, type ReadFilters } from './read-filters.ts';
import { readStatusCodes } from './status-codes.ts';
import { readTag, tagSentence } from './tags.ts';

/** How a run ended; `failure` is either of the other two. Plots count `retried` and `failed`. */
export type RunOutcome = 'success' | 'failure' | 'retried' | 'failed';
export const RUN_OUTCOMES: readonly RunOutcome[] = ['success', 'failure', 'retried', 'failed'];

/** Everything given must hold of a run that has ended: an attempt of a job, or an execution of a cron. */
export interface RunSearch {
  kind?: 'job' | 'execution';
  /** Of one queue, or of one cron. */
  queueId?: string;
  cronId?: string;
  /** Of queues and crons that have it now. */
  tag?: string;
  outcome?: RunOutcome;
  /** Finds all attempts of the job that an attempt is of, or an execution. */
  id?: string;
  /** The texts that `readStatusCodes` reads: `5xx,404`, `none`. */
  statusCode?: string;
  /** `unknown`: failed without a reason (3xx). */
  reason?: FailureReason | 'unknown';
  /** Why a connection broke off. */
  fault?: FaultCode;
  /** Case-sensitive, from the scheme on, of the sent URL. */
  urlPrefix?: string;
  /** In lower case, with or without its port, of the sent URL. */
  host?: string;
  /** Case-sensitive text within a job's payload or the stored response. */
  text?: string;
  /** When it ended, in milliseconds: from (inclusive), to (exclusive). */
  from?: number;
  to?: number;
}

/** The filters of an address, in the order of the form. */
export const RUN_FILTERS = [
  'q',
  'of',
  'tag',
  'status',
  'reason',
  'code',
  'host',
  'text',
  'from',
  'to',
] as const;

const idPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const sentences = {
  of: 'This team has no such queue or cron.',
  code: 'Write codes such as 503, 5xx, “500,502” or none.',
  host: 'Write a host such as api.example.com, with its port or without.',
  twice: 'Another field filters by this, too. Keep one of the two.',
  order: 'The end comes before the beginning.',
} as const;
export { sentences as filterSentences };

/** The error for an unreadable time. */
export const timeSentence = 'Write a date and time such as 2026-11-21T09:05.';

/** Reads the filters of an address. */
export function readRunSearch(params: URLSearchParams): ReadFilters<RunSearch> {
  const filters = new FilterReader(params);
  const { payloadText, ...words } = readWords(filters.text('q').trim());
  const looks: RunSearch = { ...words, ...(payloadText !== undefined && { text: payloadText }) };
  const given = dropAbsent<RunSearch>({
    ...filters.read('of', readSource, sentences.of),
    ...filters.read('reason', readReason, `This is none of: ${reasons.join(', ')}.`),
    tag: filters.read('tag', readTag, tagSentence),
    outcome: filters.choice('status', RUN_OUTCOMES),
    statusCode: filters.read('code', readStatusCodes, sentences.code),
    host: filters.read('host', readHost, sentences.host),
    text: filters.text('text') || undefined,
    from: filters.read('from', readInstant, timeSentence),
    to: filters.read('to', readInstant, timeSentence),
  });
  const { from, to } = given;
  if (from !== undefined && to !== undefined && from >= to) filters.refuse('to', sentences.order);
  if (Object.keys(looks).some((name) => Object.hasOwn(given, name))) {
    filters.refuse('q', sentences.twice);
  }
  return filters.finish({ ...looks, ...given });
}

type Given<Search> = { [Name in keyof Search]?: Search[Name] | undefined };

function dropAbsent<Search extends object>(search: Given<Search>): Search {
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Search;
}

/** `jobs`, `crons`, `queue:<id>` or `cron:<id>`. */
function readSource(text: string): RunSearch | null {
  if (text === 'jobs') return { kind: 'job' };
  if (text === 'crons') return { kind: 'execution' };
  const [, kind, id = ''] = /^(queue|cron):(.*)$/.exec(text) ?? [];
  if (!idPattern.test(id)) return null;
  return kind === 'queue' ? { queueId: id.toLowerCase() } : { cronId: id.toLowerCase() };
}

/** A reason, or the code of a connection error. */
function readReason(text: string): RunSearch | null {
  const reason = reasons.find((each) => each === text);
  if (reason !== undefined) return { reason };
  const isFault = Object.hasOwn(CONNECTION_FAULTS, text);
  return isFault ? { reason: 'connection_error', fault: text as FaultCode } : null;
}

/** An address is taken for its host. */
function readHost(text: string): string | null {
  const host = text.trim().toLowerCase();
  const [, within = host] = /^https?:\/\/([^/?#]*)/.exec(host) ?? [];
  return /^[^\s/?#@:]+(?::\d{1,5})?$/.test(within) ? within : null;
}

/**
 * Reads the search box by its form: an id, a URL, a code or a reason; any other text is searched for in the payload.
 */
export function readWords(words: string): Pick<
  RunSearch,
  'id' | 'urlPrefix' | 'statusCode' | 'reason'
> & {
  payloadText?: string;
} {
  if (words === '') return {};
  if (idPattern.test(words)) return { id: words.toLowerCase() };
  if (/^https?:\/\//i.test(words)) return { urlPrefix: words };
  const codes = readStatusCodes(words);
  if (codes !== null) return { statusCode: codes };
  const reason = findReason(words);
  return reason ? { reason } : { payloadText: words };
}

function findReason(words: string): FailureReason | 'unknown' | undefined {
  const wanted = words.toLowerCase();
  return reasons.find(
    (reason) =>
      reason !== 'unknown' && (reason === wanted || reasonNames[reason].toLowerCase() === wanted),
  );
}

/** A time of a `datetime-local` field in UTC; a day alone is its first moment. */
export function readInstant(text: string): number | null {
  const [, day, minute, second] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?)?$/.exec(text) ?? [];
  const iso = `${day}T${minute ?? '00:00'}:${second ?? '00'}.000Z`;
  const at = Date.parse(iso);
  // A day that there is not, 30 February, would be read as one of the next month.
  return Number.isNaN(at) || new Date(at).toISOString() !== iso ? null : at;
}

/** To the second, down; an end is given rounded up, so that nothing is lost between. */
export function writeInstant(at: number): string {
  return new Date(at).toISOString().slice(0, 19);
}

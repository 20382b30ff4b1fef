import { CONNECTION_FAULTS, type FaultCode } from '../http/connection-faults.ts';
import { type FailureReason, reasonNames, reasons } from '../judging/failure.ts';
import { FilterReader, type Given, type ReadFilters } from './read-filters.ts';
import { isUuid } from '../base/ids.ts';
import { parseUtc } from '../base/instant.ts';
import { readStatusCodes } from '../http/status-codes.ts';
import { readTag, tagSentence } from '../team/tags.ts';

/** `failure` is `retried` or `failed`, which plots count apart. */
export type RunOutcome = 'success' | 'failure' | 'retried' | 'failed';
export const RUN_OUTCOMES: readonly RunOutcome[] = ['success', 'failure', 'retried', 'failed'];

export interface RunSearch {
  kind?: 'job' | 'execution';
  queueId?: string;
  cronId?: string;
  /** Of queues and crons that have it now. */
  tag?: string;
  outcome?: RunOutcome;
  /** All attempts of the attempt's job, or an execution. */
  id?: string;
  /** As for `readStatusCodes`: `5xx,404`, `none`. */
  statusCode?: string;
  /** `unknown`: without a reason (3xx). */
  reason?: FailureReason | 'unknown';
  fault?: FaultCode;
  /** Case-sensitive, with the scheme. */
  urlPrefix?: string;
  /** In lower case, with or without port. */
  host?: string;
  /** Case-sensitive, in a job's payload or the stored response. */
  text?: string;
  /**
   * A part of the URL, the id, the error or the name of the queue or cron, with A to Z in either case; or of the payload
   * or the stored response, case-sensitive. The URL of a cron's run is the cron's present one.
   */
  words?: string;
  /** From inclusive, to exclusive. */
  from?: number;
  to?: number;
}

const sentences = {
  of: 'This team has no such queue or cron.',
  code: 'Write codes such as 503, 5xx, “500,502” or none.',
  host: 'Write a host such as api.example.com, with its port or without.',
  twice: 'Another field filters by this, too. Keep one of the two.',
  order: 'The end comes before the beginning.',
} as const;
export { sentences as filterSentences };

export const timeSentence = 'Write a date and time such as 2026-11-21T09:05.';

export function readRunSearch(params: URLSearchParams): ReadFilters<RunSearch> {
  const filters = new FilterReader(params);
  const given = {
    ...filters.read('of', readSource, sentences.of),
    ...filters.read('reason', readReason, `This is none of: ${reasons.join(', ')}.`),
    tag: filters.read('tag', readTag, tagSentence),
    outcome: filters.choice('status', RUN_OUTCOMES),
    statusCode: filters.read('code', readStatusCodes, sentences.code),
    host: filters.read('host', readHost, sentences.host),
    text: filters.text('text') || undefined,
    from: filters.read('from', readInstant, timeSentence),
    to: filters.read('to', readInstant, timeSentence),
  };
  const { from, to } = given;
  if (from !== undefined && to !== undefined && from >= to) filters.refuse('to', sentences.order);
  return finishWithWords(filters, given);
}

/** `jobs`, `crons`, `queue:<id>` or `cron:<id>`. */
function readSource(text: string): RunSearch | null {
  if (text === 'jobs') return { kind: 'job' };
  if (text === 'crons') return { kind: 'execution' };
  const [, kind, id = ''] = /^(queue|cron):(.*)$/.exec(text) ?? [];
  if (!isUuid(id)) return null;
  return kind === 'queue' ? { queueId: id.toLowerCase() } : { cronId: id.toLowerCase() };
}

function readReason(text: string): RunSearch | null {
  const reason = reasons.find((each) => each === text);
  if (reason !== undefined) return { reason };
  const isFault = Object.hasOwn(CONNECTION_FAULTS, text);
  return isFault ? { reason: 'connection_error', fault: text as FaultCode } : null;
}

function readHost(text: string): string | null {
  const host = text.trim().toLowerCase();
  const [, within = host] = /^https?:\/\/([^/?#]*)/.exec(host) ?? [];
  return /^[^\s/?#@:]+(?::\d{1,5})?$/.test(within) ? within : null;
}

/** With the search box, which may not repeat another filter. */
export function finishWithWords<Search extends object>(
  filters: FilterReader,
  given: Partial<Given<Search>>,
): ReadFilters<Search> {
  const looks = readWords(filters.text('q').trim());
  const repeated = Object.keys(looks).some((name) => given[name as keyof Search] !== undefined);
  if (repeated) filters.refuse('q', sentences.twice);
  return filters.finish({ ...given, ...looks } as Given<Search>);
}

/** An id, a URL with its scheme, a code or a reason; any other text is `words`. */
function readWords(
  words: string,
): Pick<RunSearch, 'id' | 'urlPrefix' | 'statusCode' | 'reason' | 'words'> {
  if (words === '') return {};
  if (isUuid(words)) return { id: words.toLowerCase() };
  if (/^https?:\/\//i.test(words)) return { urlPrefix: words };
  const codes = readStatusCodes(words);
  if (codes !== null) return { statusCode: codes };
  const reason = findReason(words);
  return reason ? { reason } : { words };
}

function findReason(words: string): FailureReason | 'unknown' | undefined {
  const wanted = words.toLowerCase();
  return reasons.find(
    (reason) =>
      reason !== 'unknown' && (reason === wanted || reasonNames[reason].toLowerCase() === wanted),
  );
}

/** Of a day alone, its first moment. */
export function readInstant(text: string): number | null {
  const written = text.trim();
  return parseUtc(DAY.test(written) ? `${written}T00:00` : written);
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Rounded down; ends are given rounded up. */
export function writeInstant(at: number): string {
  return new Date(at).toISOString().slice(0, 19);
}

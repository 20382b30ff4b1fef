/** The search of the jobs list, as it stands in the address. */
import type { FailureReason } from '#domain/failure';
import { readStatusCodes } from '#domain/status-codes';
import { FilterReader, type ReadFilters } from '../lists/read-filters.ts';
import type { JobSearch, JobTab } from '../services.ts';
import { reasonNames, reasons } from './reasons.ts';

export const jobTabs: readonly { tab: JobTab; name: string }[] = [
  { tab: 'all', name: 'All' },
  { tab: 'pending', name: 'Pending' },
  { tab: 'processing', name: 'Processing' },
  { tab: 'retrying', name: 'Retrying' },
  { tab: 'completed', name: 'Completed' },
  { tab: 'failed', name: 'Failed' },
];

const idPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Names of the address's parameters that narrow the list; the tab is not one of them. */
export const filterNames = [
  'q',
  'queue',
  'payload',
  'response',
  'code',
  'reason',
  'target',
  'from',
  'to',
  'resent',
] as const;

const sentences = {
  tab: `This is none of: ${jobTabs.map(({ name }) => name).join(', ')}.`,
  code: 'Write codes such as 503, 5xx, “500,502” or none.',
  twice: 'A field of its own asks for this too. Keep one of the two.',
} as const;

/** What a time that can't be read asks for. */
export const timeSentence = 'Write a date and time such as 2026-11-21T09:05.';

/** Reads what the address asks for. */
export function readJobSearch(params: URLSearchParams): ReadFilters<JobSearch> {
  const filters = new FilterReader(params);
  const tab = filters.read('tab', findTab, sentences.tab) ?? 'all';
  const words = readWords(filters.text('q').trim());
  const given = {
    queueId: filters.text('queue') || undefined,
    payloadText: filters.text('payload') || undefined,
    responseText: filters.text('response') || undefined,
    target: filters.text('target') || undefined,
    statusCode: filters.read('code', readStatusCodes, sentences.code),
    reason: filters.choice('reason', reasons),
    from: filters.read('from', readInstant, timeSentence),
    to: filters.read('to', readInstant, timeSentence),
    resent: filters.isTicked('resent') || undefined,
  };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  if (known.some(([name]) => Object.hasOwn(words, name))) filters.refuse('q', sentences.twice);
  const search: JobSearch = { tab, ...words };
  return filters.finish(Object.assign(search, Object.fromEntries(known)));
}

function findTab(text: string): JobTab | null {
  return jobTabs.find((known) => known.tab === text)?.tab ?? null;
}

/** The tab that is shown as the current one, whether or not the rest can be read. */
export function readTab(params: URLSearchParams): JobTab {
  return findTab(params.get('tab') ?? '') ?? 'all';
}

/** A search of which a part was found to name nothing. */
export function refuseQueue(
  read: ReadFilters<JobSearch>,
  queues: readonly { id: string }[],
): ReadFilters<JobSearch> {
  const queueId = read.search?.queueId;
  if (queueId === undefined || queues.some(({ id }) => id === queueId)) return read;
  return { search: null, faults: { queue: 'This team has no such queue.' } };
}

/** The one search box: an id, an address, a code or a reason by its look; any other text is in the payload. */
function readWords(words: string): Partial<JobSearch> {
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

/** A time of a `datetime-local` field, which stands for UTC here; a day alone is its first moment. */
export function readInstant(text: string): number | null {
  const [, day, minute, second] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?)?$/.exec(text) ?? [];
  const iso = `${day}T${minute ?? '00:00'}:${second ?? '00'}.000Z`;
  const at = Date.parse(iso);
  // A day that there is not, 30 February, would be read as one of the next month.
  return Number.isNaN(at) || new Date(at).toISOString() !== iso ? null : at;
}

/** The address that shows what a search finds. */
export function writeJobSearch(search: JobSearch): string {
  const params = new URLSearchParams({ tab: search.tab });
  const add = (name: string, value: string | number | undefined) =>
    void (value !== undefined && params.set(name, String(value)));
  add('q', search.id ?? search.urlPrefix);
  add('queue', search.queueId);
  add('payload', search.payloadText);
  add('response', search.responseText);
  add('code', search.statusCode);
  add('reason', search.reason);
  add('target', search.target);
  add('from', search.from === undefined ? undefined : writeInstant(search.from));
  add('to', search.to === undefined ? undefined : writeInstant(search.to + 999));
  add('resent', search.resent ? 1 : undefined);
  return `/jobs?${params.toString()}`;
}

/** What failed in a queue since a time and was not resent. */
export function failedOf(queueId: string, since: number): string {
  return writeJobSearch({ tab: 'failed', queueId, from: since });
}

/** To the second, down; an end is given rounded up, so that nothing is lost between. */
function writeInstant(at: number): string {
  return new Date(at).toISOString().slice(0, 19);
}

export function isNarrowed(params: URLSearchParams): boolean {
  return filterNames.some((name) => (params.get(name) ?? '') !== '');
}

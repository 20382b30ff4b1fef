/** The search of the jobs list, as it stands in the address. */
import type { FailureReason } from '#domain/failure';
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
const mostCharacters = 2048;

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
  'hide_retried',
] as const;

/** Reads what the address asks for; what can't be read asks for nothing. */
export function readJobSearch(params: URLSearchParams): JobSearch {
  const textOf = (name: string) => (params.get(name) ?? '').slice(0, mostCharacters);
  const tab = jobTabs.find((known) => known.tab === params.get('tab'))?.tab ?? 'all';
  const search: JobSearch = { tab, ...readWords(textOf('q').trim()) };
  if (textOf('queue')) search.queueId = textOf('queue');
  if (textOf('payload')) search.payloadText = textOf('payload');
  if (textOf('response')) search.responseText = textOf('response');
  if (textOf('target')) search.target = textOf('target');
  const code = readCode(textOf('code').trim());
  if (code !== null) search.statusCode = code;
  const reason = reasons.find((known) => known === textOf('reason'));
  if (reason) search.reason = reason;
  const [from, to] = [readInstant(textOf('from')), readInstant(textOf('to'))];
  if (from !== null) search.from = from;
  if (to !== null) search.to = to;
  if (textOf('hide_retried') === '1') search.hideRetried = true;
  return search;
}

/** The one search box: an id, an address, a code or a reason by its look; any other text is in the payload. */
function readWords(words: string): Partial<JobSearch> {
  if (words === '') return {};
  if (idPattern.test(words)) return { id: words.toLowerCase() };
  if (/^https?:\/\//i.test(words)) return { urlPrefix: words };
  const code = readCode(words);
  if (code !== null) return { statusCode: code };
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

function readCode(text: string): number | 'none' | null {
  if (text.toLowerCase() === 'none') return 'none';
  return /^[1-5]\d\d$/.test(text) ? Number(text) : null;
}

/** A time of a `datetime-local` field, which stands for UTC here. */
function readInstant(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text)) return null;
  const at = Date.parse(`${text}Z`);
  return Number.isNaN(at) ? null : at;
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
  add('hide_retried', search.hideRetried ? 1 : undefined);
  return `/jobs?${params.toString()}`;
}

/** To the second, down; an end is given rounded up, so that nothing is lost between. */
function writeInstant(at: number): string {
  return new Date(at).toISOString().slice(0, 19);
}

export function isNarrowed(params: URLSearchParams): boolean {
  return filterNames.some((name) => (params.get(name) ?? '') !== '');
}

import { reasons } from '#domain/judging/failure';
import { FilterReader, type ReadFilters } from '#domain/runs/read-filters';
import {
  filterSentences,
  finishWithWords,
  readInstant,
  timeSentence,
  writeInstant,
} from '#domain/runs/run-search';
import { readStatusCodes } from '#domain/http/status-codes';
import { capitalize } from '../words/amounts.ts';
import type { JobSearch, JobTab, BulkTask, ShownTask } from '../services.ts';

const tabs: readonly JobTab[] = ['all', 'pending', 'processing', 'retrying', 'completed', 'failed'];
export const jobTabs = tabs.map((tab) => ({ tab, name: capitalize(tab) }));

export function actsOn(tab: JobTab): boolean {
  return tab === 'pending' || tab === 'retrying' || tab === 'failed';
}

const resentWords = ['any', 'only'] as const;

const tabSentence = `This is none of: ${jobTabs.map(({ name }) => name).join(', ')}.`;

export function readJobSearch(params: URLSearchParams): ReadFilters<JobSearch> {
  const filters = new FilterReader(params);
  return finishWithWords(filters, {
    tab: filters.read('tab', findTab, tabSentence) ?? 'all',
    queueId: filters.text('queue') || undefined,
    payloadText: filters.text('payload') || undefined,
    responseText: filters.text('response') || undefined,
    target: filters.text('target') || undefined,
    statusCode: filters.read('code', readStatusCodes, filterSentences.code),
    reason: filters.choice('reason', reasons),
    from: filters.read('from', readInstant, timeSentence),
    to: filters.read('to', readInstant, timeSentence),
    resent: filters.choice('resent', resentWords),
  });
}

function findTab(text: string): JobTab | null {
  return jobTabs.find((known) => known.tab === text)?.tab ?? null;
}

/** Even if other parameters are invalid. */
export function readTab(params: URLSearchParams): JobTab {
  return findTab(params.get('tab') ?? '') ?? 'all';
}

export function refuseQueue(
  read: ReadFilters<JobSearch>,
  queues: readonly { id: string }[],
): ReadFilters<JobSearch> {
  const queueId = read.search?.queueId;
  if (queueId === undefined || queues.some(({ id }) => id === queueId)) return read;
  return { search: null, faults: { queue: 'This team has no such queue.' } };
}

export function writeJobSearch(search: JobSearch): string {
  const params = new URLSearchParams({ tab: search.tab });
  const add = (name: string, value: string | number | undefined) =>
    void (value !== undefined && params.set(name, String(value)));
  add('q', search.id ?? search.urlPrefix ?? search.words);
  add('queue', search.queueId);
  add('payload', search.payloadText);
  add('response', search.responseText);
  add('code', search.statusCode);
  add('reason', search.reason);
  add('target', search.target);
  add('from', search.from === undefined ? undefined : writeInstant(search.from));
  add('to', search.to === undefined ? undefined : writeInstant(search.to + 999));
  add('resent', search.resent);
  return `/jobs?${params.toString()}`;
}

/** The failed jobs that were not resent. */
export function failedOf(queueId: string, since?: number): string {
  return writeJobSearch({ tab: 'failed', queueId, ...(since !== undefined && { from: since }) });
}

const recentMs = 10 * 60_000;

/** Running, just ended, or spread over a time that isn't over. */
export function isRecent(
  { finishedAt, endsAt }: Pick<ShownTask, 'finishedAt' | 'endsAt'>,
  now: number,
): boolean {
  return finishedAt === null || Math.max(finishedAt, endsAt ?? 0) > now - recentMs;
}

/** Of tasks for a single job, only the last one. */
export function listShown<Task extends ShownTask>(tasks: readonly Task[], now: number): Task[] {
  const recent = tasks.filter((task) => isRecent(task, now));
  const lastSingle = recent.find(isSingle);
  return recent.filter((task) => !isSingle(task) || task === lastSingle);
}

function isSingle({ search }: BulkTask): boolean {
  return search.id !== undefined;
}

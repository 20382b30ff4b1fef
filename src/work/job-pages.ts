import { isId } from '#domain/ids';
import type { JobSearch as StoredSearch } from '#store/lists';
import type { Store } from '#store/store';
import type { BulkKind, BulkOutcome, FailureGroups, JobPages, JobSearch } from './job-contract.ts';

/** Jobs that are acted on at once; more of them are worked through in the background. */
export const MOST_AT_ONCE = 200;
const DEFAULT_LIMIT = 50;
const MOST_ON_A_PAGE = 200;
const DAY_MS = 86_400_000;
const NOTHING = { count: 0, isMore: false };

const TEXTS = {
  tooMany: `At most ${MOST_AT_ONCE} jobs can be chosen by hand.`,
  tooManyTasks:
    'Other bulk actions of this team are still under way. Wait for one to end, or cancel it.',
  wrongTab: {
    fire: 'Only pending jobs can be fired.',
    retry: 'Only failed jobs can be retried.',
    delete: 'Only pending and failed jobs can be deleted.',
  },
} as const;

/** On which tabs an action has something to act on. */
const TABS: Record<BulkKind, readonly JobSearch['tab'][]> = {
  fire: ['pending', 'retrying'],
  retry: ['failed'],
  delete: ['pending', 'retrying', 'failed'],
};

export function createJobPages(store: Store): JobPages {
  const { lists, bulkTasks, clock } = store;
  return {
    searchJobs: async (teamId, search, { cursor, limit = DEFAULT_LIMIT } = {}) => {
      const wanted = readSearch(search);
      if (wanted === null) {
        return { jobs: [], next: null, previous: null, searchedBackTo: null };
      }
      return lists.listJobs(teamId, wanted, { cursor, limit: boundPage(limit) });
    },
    countTabs: async (teamId, queueId) => {
      if (queueId !== undefined && !isId(queueId)) return countNothing();
      return lists.countTabs(teamId, queueId);
    },
    countJobs: async (teamId, search) => {
      const wanted = readSearch(search);
      return wanted === null ? NOTHING : lists.countJobs(teamId, wanted);
    },
    actOnJobs: async (teamId, kind, jobIds) => {
      if (jobIds.length > MOST_AT_ONCE) return { kind: 'refused', error: TEXTS.tooMany };
      const ids = [...new Set(jobIds.filter(isId))];
      const done = await act(store, teamId, kind, ids);
      return { kind: 'done', done, skipped: new Set(jobIds).size - done };
    },
    startBulk: (teamId, kind, search) => startBulk(store, teamId, kind, search),
    listBulkTasks: (teamId) => bulkTasks.list(teamId),
    findBulkTask: async (teamId, taskId) => (isId(taskId) ? bulkTasks.find(teamId, taskId) : null),
    cancelBulkTask: async (teamId, taskId) =>
      isId(taskId) && bulkTasks.cancel(teamId, taskId, clock.now()),
    groupFailures: (teamId, narrowed) => groupFailures(store, teamId, narrowed),
  };
}

export function boundPage(limit: number): number {
  const whole = Number.isFinite(limit) ? Math.trunc(limit) : DEFAULT_LIMIT;
  return Math.max(1, Math.min(whole, MOST_ON_A_PAGE));
}

/** Texts longer than this find nothing: no URL or page needs them. */
const MOST_CHARACTERS = 2_048;
const LAST_TIME = 8_640_000_000_000_000;

/** A search as the store takes it; null where it can't find anything. Blank texts narrow nothing. */
export function readSearch(search: JobSearch): StoredSearch | null {
  const { queueId, id, urlPrefix, target, payloadText, responseText } = search;
  const texts = { urlPrefix, target, payloadText, responseText };
  const ids = { queueId, id };
  for (const text of Object.values(texts)) {
    if (text !== undefined && text.length > MOST_CHARACTERS) return null;
  }
  for (const each of Object.values(ids)) {
    if (each !== undefined && each !== '' && !isId(each)) return null;
  }
  return keepGiven({
    ...search,
    ...texts,
    ...ids,
    from: asTime(search.from),
    to: asTime(search.to),
  });
}

function asTime(ms: number | undefined): number | undefined {
  if (ms === undefined || !Number.isFinite(ms)) return undefined;
  return Math.max(0, Math.min(Math.trunc(ms), LAST_TIME));
}

function keepGiven(search: Record<string, unknown>): StoredSearch {
  const given = Object.entries(search).filter(
    ([, value]) => value !== undefined && value !== '' && value !== false,
  );
  return Object.fromEntries(given) as unknown as StoredSearch;
}

function countNothing() {
  return {
    all: NOTHING,
    pending: NOTHING,
    processing: NOTHING,
    retrying: NOTHING,
    completed: NOTHING,
    failed: NOTHING,
  };
}

/** Does one thing to some jobs. @returns to how many it was done; the others were in another state */
export async function act(
  { jobs }: Pick<Store, 'jobs'>,
  teamId: string,
  kind: BulkKind,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  if (kind === 'fire') return (await jobs.fire(teamId, ids)).length;
  if (kind === 'retry') return (await jobs.retryFailed(teamId, ids)).length;
  const pending = await jobs.deletePending(teamId, ids);
  if (pending.length === ids.length) return pending.length;
  const gone = new Set(pending);
  const others = ids.filter((id) => !gone.has(id));
  return pending.length + (await jobs.deleteFailed(teamId, others)).length;
}

async function startBulk(
  store: Store,
  teamId: string,
  kind: BulkKind,
  search: JobSearch,
): Promise<BulkOutcome> {
  const { lists, bulkTasks, clock } = store;
  if (!TABS[kind].includes(search.tab)) return { kind: 'refused', error: TEXTS.wrongTab[kind] };
  const wanted = readSearch(search);
  if (wanted === null) return { kind: 'done', done: 0, skipped: 0 };
  const page = await lists.listJobs(teamId, wanted, { limit: MOST_AT_ONCE });
  if (page.next === null) {
    const ids = page.jobs.map(({ id }) => id);
    const done = await act(store, teamId, kind, ids);
    return { kind: 'done', done, skipped: ids.length - done };
  }
  const total = await lists.countJobs(teamId, wanted);
  const task = await bulkTasks.create(teamId, { kind, search: wanted, total }, clock.now());
  return task ? { kind: 'started', task } : { kind: 'refused', error: TEXTS.tooManyTasks };
}

async function groupFailures(
  { lists, clock }: Store,
  teamId: string,
  narrowed: Parameters<JobPages['groupFailures']>[1] = {},
): Promise<FailureGroups> {
  const { queueId, hideRetried = false } = narrowed;
  const to = asTime(narrowed.to) ?? clock.now() + 1;
  const from = asTime(narrowed.from) ?? to - 7 * DAY_MS;
  if (queueId !== undefined && !isId(queueId)) return { groups: [], from, to, countedBackTo: null };
  const found = await lists.groupFailures(teamId, { queueId, from, to, hideRetried });
  const groups = found.groups.map((group) => {
    const search: JobSearch = {
      tab: 'failed',
      reason: group.reason,
      target: group.target,
      statusCode: group.statusCode ?? 'none',
      from,
      to,
      ...(queueId !== undefined && { queueId }),
      ...(hideRetried && { hideRetried }),
    };
    return Object.assign(group, { search });
  });
  return { groups, from, to, countedBackTo: found.countedBackTo };
}

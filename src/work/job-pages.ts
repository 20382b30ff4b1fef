import { isId } from '#domain/ids';
import { NO_PAGE } from '#store/lists/walk';
import type { Store } from '#store/store';
import { actOnChosen, startBulk } from './bulk-actions.ts';
import type { FailureGroups, JobPages, JobSearch } from './job-contract.ts';
import { listBulkTasks } from './resends.ts';
import { asTime, readSearch } from './job-search.ts';

const DEFAULT_LIMIT = 50;
const MOST_ON_A_PAGE = 200;
const NOTHING = { count: 0, isMore: false };

export function createJobPages(store: Store): JobPages {
  const { lists, bulkTasks, clock } = store;
  return {
    searchJobs: async (teamId, search, { cursor, limit = DEFAULT_LIMIT } = {}) => {
      const wanted = search && readSearch(search);
      if (wanted === null) return NO_PAGE;
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
    actOnJobs: (teamId, kind, jobIds, answers) =>
      actOnChosen(store, teamId, { kind, jobIds, ...answers }),
    startBulk: (teamId, kind, search, answers) =>
      startBulk(store, teamId, { kind, search, ...answers }),
    listBulkTasks: (teamId) => listBulkTasks(store, teamId),
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

function countNothing() {
  return {
    all: NOTHING,
    pending: NOTHING,
    processing: NOTHING,
    retrying: NOTHING,
    completed: NOTHING,
    failed: NOTHING,
    resent: NOTHING,
  };
}

async function groupFailures(
  { lists, clock }: Store,
  teamId: string,
  narrowed: Parameters<JobPages['groupFailures']>[1] = {},
): Promise<FailureGroups> {
  const { queueId } = narrowed;
  const to = asTime(narrowed.to) ?? clock.now() + 1;
  if (queueId !== undefined && !isId(queueId)) {
    return { groups: [], from: asTime(narrowed.from) ?? to, to, countedBackTo: null };
  }
  const from = asTime(narrowed.from) ?? (await lists.findFirstFailure(teamId, queueId)) ?? to;
  const found = await lists.groupFailures(teamId, { queueId, from, to });
  const groups = found.groups.map((group) => {
    const search: JobSearch = {
      tab: 'failed',
      reason: group.reason,
      target: group.target,
      statusCode: group.statusCode ?? 'none',
      from: found.countedBackTo ?? from,
      to,
      ...(queueId !== undefined && { queueId }),
    };
    return Object.assign(group, { search });
  });
  return { groups, from, to, countedBackTo: found.countedBackTo };
}

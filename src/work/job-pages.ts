import { afterColon, resolveRedirect } from '#domain/judging/explain-failure';
import type { FailureReason } from '#domain/judging/failure';
import { earliestIdAt, isId } from '#domain/base/ids';
import { readTrace } from '#domain/runs/run-trace';
import { startAt } from '#domain/team/rate';
import { bind } from '#store/database/context';
import type { BulkTask } from '#store/jobs/bulk-tasks';
import type { ResentCount } from '#store/jobs/resent';
import { type ListPage, NO_PAGE } from '#store/lists/walk';
import type { Store } from '#store/store';
import { anybody, type Doing } from './acting.ts';
import { actOnJobs, type JobListRow, type JobSearch, startBulk } from './bulk-actions.ts';
import { asTime, readSearch } from './search.ts';
import { boundPage } from './list-limit.ts';
import { locationOf, startOf } from './run-detail.ts';

const MOST_SAMPLED = 20;
const SHOWN_FOR_MS = 10 * 60_000;
/** Larger retries are shown without their outcome. */
const MOST_COUNTED = 1_000;
const NOTHING = { count: 0, isMore: false };
const NOTHING_IN_TABS = {
  all: NOTHING,
  pending: NOTHING,
  processing: NOTHING,
  retrying: NOTHING,
  completed: NOTHING,
  failed: NOTHING,
  resent: NOTHING,
  retried: NOTHING,
};

export function createJobPages(store: Store, doing: Doing = anybody()) {
  const { lists, bulkTasks, clock } = store;
  return {
    /** Null finds nothing. Cursor and limit are those of `listRuns`. */
    searchJobs: async (
      teamId: string,
      search: JobSearch | null,
      { cursor, limit }: { cursor?: string; limit?: number } = {},
    ): Promise<ListPage<JobListRow>> => {
      const wanted = search && readSearch(search);
      if (wanted === null) return NO_PAGE;
      return lists.listJobs(teamId, wanted, { cursor, limit: boundPage(limit) });
    },
    countTabs: async (teamId: string, queueId?: string) => {
      if (queueId !== undefined && !isId(queueId)) return NOTHING_IN_TABS;
      return lists.countTabs(teamId, queueId);
    },
    /** `isMore` also if the search stopped early. */
    countJobs: async (teamId: string, search: JobSearch) => {
      const wanted = readSearch(search);
      return wanted === null ? NOTHING : lists.countJobs(teamId, wanted);
    },
    ...bind({ store, doing }, { actOnJobs, startBulk }),
    ...bind(store, { listBulkTasks, groupFailures }),
    /** Handled jobs stay so. False: it has ended. */
    cancelBulkTask: async (teamId: string, taskId: string) => {
      const isDone = isId(taskId) && (await bulkTasks.cancel(teamId, taskId, clock.now()));
      if (isDone) await doing.record(teamId, { action: 'jobs.cancelled' });
      return isDone;
    },
  };
}

export type FailureGroup = Awaited<ReturnType<typeof groupFailures>>['groups'][number];

/** By default all; largest group first. */
async function groupFailures(
  { lists, jobs, clock }: Store,
  teamId: string,
  narrowed: Pick<JobSearch, 'queueId' | 'from' | 'to'> = {},
) {
  const { queueId } = narrowed;
  const to = asTime(narrowed.to) ?? clock.now() + 1;
  if (queueId !== undefined && !isId(queueId)) {
    return { groups: [], from: asTime(narrowed.from) ?? to, to, countedBackTo: null };
  }
  const from = asTime(narrowed.from) ?? (await lists.findFirstFailure(teamId, queueId)) ?? to;
  const found = await lists.groupFailures(teamId, { queueId, from, to });
  const sampled = found.groups.slice(0, MOST_SAMPLED).map(({ lastJobId }) => lastJobId);
  const redirected = found.groups.filter(({ statusCode }) => isRedirect(statusCode));
  const redirects = redirected.slice(0, MOST_SAMPLED).map(({ lastJobId }) => lastJobId);
  const [bodies, traces] = await Promise.all([
    jobs.readBodies(teamId, sampled),
    jobs.readTraces(teamId, redirects),
  ]);
  const groups = found.groups.map(({ lastJobId, errorMessage, ...group }) => {
    const body = bodies.get(lastJobId);
    const search: JobSearch = {
      tab: 'failed',
      reason: group.reason,
      target: group.target,
      statusCode: group.statusCode ?? 'none',
      from: found.countedBackTo ?? from,
      to,
      ...(queueId !== undefined && { queueId }),
    };
    const start = body ? startOf(body, body.length).text : null;
    /** Null without either, and without a response in small groups behind the first ones. */
    const sample = isInError(group.reason) ? afterColon(errorMessage) : start;
    const answer = traces.get(lastJobId);
    const redirectsTo = answer ? findNewTarget(group.target, answer) : null;
    return Object.assign(group, { search, sample, redirectsTo });
  });
  return { groups, from, to, countedBackTo: found.countedBackTo };
}

/** Whether the error says more than the reason and the response. */
const isInError = (reason: FailureReason | 'unknown') =>
  reason === 'connection_error' || reason === 'assertion_failed';

const isRedirect = (status: number | null) => status !== null && status >= 300 && status <= 399;

/** Null unless the redirect keeps the query, so that each job of the group has the same new target. */
function findNewTarget(target: string, { url, trace }: { url: string; trace: string }) {
  const location = locationOf(readTrace(trace));
  const to = location === null ? null : resolveRedirect(location, url);
  const rest = url.slice(target.length);
  if (to === null || !to.endsWith(rest)) return null;
  const moved = to.slice(0, to.length - rest.length);
  return /[?#]/.test(moved) ? null : moved;
}

/** Of the last days, newest first, with the outcomes of retries (§3.3). */
async function listBulkTasks(store: Store, teamId: string) {
  const tasks = await store.bulkTasks.list(teamId);
  return Promise.all(tasks.map((task) => showTask(store, teamId, task)));
}

export type ShownTask = Awaited<ReturnType<typeof showTask>>;

async function showTask({ jobs, clock }: Store, teamId: string, task: BulkTask) {
  const now = clock.now();
  const plain = {
    ...task,
    /** Null for other actions, and if they can't be separated from others' jobs. */
    resent: null as ResentCount | null,
    /** Of a spread retry; of more than were counted, the last that was. */
    endsAt: endOf(task),
  };
  const isRecent = task.finishedAt !== null && now - task.finishedAt < SHOWN_FOR_MS;
  if (task.kind !== 'retry' || !isRecent || task.done === 0 || task.done > MOST_COUNTED)
    return plain;
  const failedIds = await jobs.listResends(teamId, spanOf(task, now), MOST_COUNTED + 1);
  // Others have resent jobs at the same time, or some are gone.
  if (failedIds.length !== task.done) return plain;
  return { ...plain, resent: await jobs.countResent(teamId, failedIds) };
}

function endOf({ rate, createdAt, finishedAt, done, total }: BulkTask): number | null {
  return (
    rate && startAt(rate, createdAt, Math.max(1, finishedAt === null ? total.count : done) - 1)
  );
}

/** Ids sort by creation time. */
function spanOf({ createdAt, finishedAt }: BulkTask, now: number) {
  return { fromId: earliestIdAt(createdAt), toId: earliestIdAt((finishedAt ?? now) + 1) };
}

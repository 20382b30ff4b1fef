import { earliestIdAt, isId } from '#domain/ids';
import type { ResendAgain } from '#store/jobs/job-actions';
import type { JobSearch as StoredSearch } from '#store/lists/lists';
import type { Store } from '#store/store';
import type {
  BulkAnswers,
  BulkKind,
  BulkOutcome,
  BulkQuestion,
  JobSearch,
} from './job-contract.ts';
import { readSearch } from './job-search.ts';
import type { BoundedCount } from './run-contract.ts';

/** How many jobs are handled at once; larger numbers are worked through in the background. */
export const MOST_AT_ONCE = 200;
/** How many resent jobs are examined before the question whether to send them again. */
const MOST_LOOKED_AFTER = 1_000;

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

/** The tabs whose jobs each action applies to. */
const TABS: Record<BulkKind, readonly JobSearch['tab'][]> = {
  fire: ['pending', 'retrying'],
  retry: ['failed'],
  delete: ['pending', 'retrying', 'failed'],
};

interface Act {
  kind: BulkKind;
  ids: readonly string[];
  /** Which jobs are retried although they were resent before. */
  again: ResendAgain;
  /** The search that found the jobs; with it a retry is recorded, so that its outcome can be shown. */
  found?: StoredSearch;
}

/**
 * Applies an action to some jobs.
 *
 * @returns for how many it was done; the others were in another state
 */
export async function act(
  { jobs }: Pick<Store, 'jobs'>,
  teamId: string,
  { kind, ids, again, found }: Act,
): Promise<number> {
  if (ids.length === 0) return 0;
  if (kind === 'fire') return (await jobs.fire(teamId, ids)).length;
  if (kind === 'retry') return (await jobs.retryFailed(teamId, ids, { again, found })).length;
  const pending = await jobs.deletePending(teamId, ids);
  if (pending.length === ids.length) return pending.length;
  const gone = new Set(pending);
  const others = ids.filter((id) => !gone.has(id));
  return pending.length + (await jobs.deleteFailed(teamId, others)).length;
}

/** Applies an action to jobs that were chosen by hand. */
export async function actOnChosen(
  store: Store,
  teamId: string,
  chosen: { kind: BulkKind; jobIds: readonly string[] } & Pick<BulkAnswers, 'resent'>,
): Promise<BulkOutcome> {
  const { kind, jobIds, resent: answer = 'ask' } = chosen;
  if (jobIds.length > MOST_AT_ONCE) return { kind: 'refused', error: TEXTS.tooMany };
  const ids = [...new Set(jobIds.filter(isId))];
  if (kind === 'retry' && answer === 'ask' && ids.length > 0) {
    const resent = await store.jobs.countResent(teamId, ids);
    const total = exactly(ids.length);
    const asOf = store.clock.now();
    if (resent.count > 0) {
      const question = { kind, total, shown: null, resent, resentAmong: ids.length, asOf };
      return { kind: 'asks', question };
    }
  }
  const found = { tab: 'failed' as const };
  const done = await act(store, teamId, { kind, ids, again: answer === 'again', found });
  return { kind: 'done', done, skipped: new Set(jobIds).size - done };
}

type Bulk = { kind: BulkKind; search: JobSearch } & BulkAnswers;

/**
 * Applies an action to all jobs of a search. It first counts them again, to compare with the number that the page
 * showed.
 */
export async function startBulk(store: Store, teamId: string, bulk: Bulk): Promise<BulkOutcome> {
  const { kind, search, asOf } = bulk;
  if (!TABS[kind].includes(search.tab)) return { kind: 'refused', error: TEXTS.wrongTab[kind] };
  const wanted = readSearch(search);
  if (wanted === null) return { kind: 'done', done: 0, skipped: 0 };
  const question = await findQuestion(store, teamId, { ...bulk, search: wanted });
  if (question) return { kind: 'asks', question };
  if (asOf === undefined) return begin(store, teamId, { kind, search: wanted });
  // The answer concerns the jobs at the time of the question, so later ones are excluded.
  return search.tab === 'failed'
    ? begin(store, teamId, { kind, search: { ...wanted, to: Math.min(wanted.to ?? asOf, asOf) } })
    : begin(store, teamId, { kind, search: wanted, upToId: earliestIdAt(asOf) });
}

async function begin(
  store: Store,
  teamId: string,
  { kind, search, upToId }: { kind: BulkKind; search: StoredSearch; upToId?: string },
): Promise<BulkOutcome> {
  const { lists, bulkTasks, clock } = store;
  const page = await lists.listJobs(teamId, search, { limit: MOST_AT_ONCE, upToId });
  if (page.next === null) {
    const ids = page.jobs.map(({ id }) => id);
    const again = search.resent === true;
    const done = await act(store, teamId, { kind, ids, again, found: search });
    return { kind: 'done', done, skipped: ids.length - done };
  }
  const total = await lists.countJobs(teamId, search);
  const task = await bulkTasks.create(teamId, { kind, search, total, upToId }, clock.now());
  return task ? { kind: 'started', task } : { kind: 'refused', error: TEXTS.tooManyTasks };
}

/** What a person has to confirm first: another number of jobs than was shown, or that some were resent before. */
async function findQuestion(
  { lists, jobs, clock }: Store,
  teamId: string,
  { kind, search, shown, asOf, resent: answer = 'ask' }: Bulk & { search: StoredSearch },
): Promise<BulkQuestion | null> {
  const isChanged = asOf === undefined && shown !== undefined;
  const sendsAgain = kind === 'retry' && search.resent === true && answer === 'ask';
  if (!isChanged && !sendsAgain) return null;
  const now = clock.now();
  const total = await lists.countJobs(teamId, search);
  const differs = isChanged && !isSame(total, shown);
  if (!differs && !(sendsAgain && total.count > 0)) return null;
  const page = sendsAgain
    ? await lists.listJobs(teamId, search, { limit: MOST_LOOKED_AFTER })
    : { jobs: [] };
  const ids = page.jobs.map(({ id }) => id);
  return {
    kind,
    total,
    shown: differs ? shown : null,
    resent: sendsAgain ? await jobs.countResent(teamId, ids) : null,
    resentAmong: ids.length,
    asOf: now,
  };
}

function exactly(count: number): BoundedCount {
  return { count, isMore: false };
}

function isSame(a: BoundedCount, b: BoundedCount): boolean {
  return a.count === b.count && a.isMore === b.isMore;
}

import { countOf } from '#domain/base/amounts';
import { earliestIdAt, isId } from '#domain/base/ids';
import { LIMITS } from '#domain/base/limits';
import type { ActivityEntry } from '#domain/team/activity';
import { describeRate, formatRate, leastRate, type Rate, spanOf } from '#domain/team/rate';
import type { BoundedCount } from '#store/database/bounded-count';
import type { BulkKind, BulkTask } from '#store/jobs/bulk-tasks';
import type { ResendAgain, Spread } from '#store/jobs/job-actions';
import type { ResentCount } from '#store/jobs/resent';
import type { JobSearch as StoredSearch } from '#store/lists/lists';
import type { JobSearch, JobTab } from '#store/lists/search';
import { NO_PAGE } from '#store/lists/walk';
import type { Store } from '#store/store';
import { type DoingContext, jobSubject } from './acting.ts';
import { isSendableUrl } from './fields.ts';
import { readSearch } from './search.ts';

export type { BoundedCount, BulkKind, BulkTask, JobSearch, JobTab, ResentCount };
export type { FoundJob as JobListRow } from '#store/lists/search';

export interface BulkQuestion {
  kind: BulkKind;
  total: BoundedCount;
  /** Of the newest 1,000 resent before; null if none was. */
  resent: ResentCount | null;
  /** If they begin now; null if not spread. */
  spread: { rate: Rate; endsAt: number } | null;
}

interface BulkAnswers {
  /** When the page was read: later jobs are left alone. */
  asOf?: number | undefined;
  /** Confirm (the default), send again, or leave. */
  resent?: 'ask' | 'again' | 'leave' | undefined;
  /** Needs a confirmation with the time of the last. */
  rate?: Rate | undefined;
  isTimed?: boolean | undefined;
  /** Retries of a search by `target` go there instead. */
  sendTo?: string | undefined;
}

type ChosenAnswers = Omit<BulkAnswers, 'asOf' | 'sendTo'>;

export type BulkOutcome =
  /** `skipped`: in another state, or not the team's. */
  | { kind: 'done'; done: number; skipped: number }
  | { kind: 'started'; task: BulkTask }
  | { kind: 'asks'; question: BulkQuestion }
  /** Not for jobs of this tab, or too many tasks. */
  | { kind: 'refused'; error: string };

/** More are handled in the background. */
export const MOST_AT_ONCE = 200;
export const MOST_SPREAD_MS = LIMITS.delaySeconds.most * 1000;
/** Examined before the question whether to send them again. */
const MOST_LOOKED_AFTER = 1_000;

/** Why the jobs of a tab can't be chosen. */
const WRONG_TAB = {
  fire: 'Only pending jobs can be fired.',
  retry: 'Only failed jobs can be retried.',
  delete: 'Only pending and failed jobs can be deleted.',
} as const;

const TOO_MANY_TASKS =
  'Other bulk actions of this team are still under way. Wait for one to end, or cancel it.';

const refuse = (error: string): BulkOutcome => ({ kind: 'refused', error });

const TABS: Record<BulkKind, readonly JobSearch['tab'][]> = {
  fire: ['pending', 'retrying'],
  retry: ['failed'],
  delete: ['pending', 'retrying', 'failed'],
};

interface Act {
  kind: BulkKind;
  ids: readonly string[];
  again: ResendAgain;
  /** Of the jobs that a retry creates. */
  actor: string | null;
  /** Records the retry, so that its outcome can be shown. */
  found?: StoredSearch;
  /** At once without it. */
  spread?: Spread | undefined;
  moved?: Moved | undefined;
}

type Moved = { from: string; to: string };

export function movedBy({ target, sendTo }: StoredSearch): Moved | undefined {
  return target !== undefined && sendTo !== undefined ? { from: target, to: sendTo } : undefined;
}

/** @returns for how many jobs it was done; the others were in another state */
export async function act(
  { jobs }: Pick<Store, 'jobs'>,
  teamId: string,
  { kind, ids, again, actor, found, spread, moved }: Act,
): Promise<number> {
  if (ids.length === 0) return 0;
  if (kind === 'fire') return (await jobs.fire(teamId, ids)).length;
  if (kind === 'retry')
    return (await jobs.retryFailed(teamId, ids, { again, actor, found, spread, moved })).length;
  const pending = await jobs.deletePending(teamId, ids);
  if (pending.length === ids.length) return pending.length;
  const gone = new Set(pending);
  const others = ids.filter((id) => !gone.has(id));
  return pending.length + (await jobs.deleteFailed(teamId, others)).length;
}

/** At most 200 ids. All jobs of a search: `startBulk`. */
export async function actOnJobs(
  { store, doing }: DoingContext,
  teamId: string,
  kind: BulkKind,
  jobIds: readonly string[],
  answers: ChosenAnswers = {},
): Promise<BulkOutcome> {
  if (jobIds.length > MOST_AT_ONCE)
    return refuse(`At most ${MOST_AT_ONCE} jobs can be chosen by hand.`);
  const ids = [...new Set(jobIds.filter(isId))];
  const { resent: answer = 'ask' } = answers;
  const outcome = await begin({ store, doing }, teamId, {
    ...answers,
    kind,
    search: { tab: 'failed' },
    total: { count: ids.length, isMore: false },
    ids,
    only: jobIds.length === 1 ? ids[0] : undefined,
    again: answer === 'again',
    maybeResent: answer === 'ask' ? ids : [],
  });
  const malformed = new Set(jobIds).size - ids.length;
  return outcome.kind === 'done' ? { ...outcome, skipped: outcome.skipped + malformed } : outcome;
}

/** Up to 200 at once, more by a task. */
export async function startBulk(
  { store, doing }: DoingContext,
  teamId: string,
  kind: BulkKind,
  search: JobSearch,
  answers: BulkAnswers = {},
): Promise<BulkOutcome> {
  const { lists, clock } = store;
  const { asOf, sendTo, resent: answer = 'ask' } = answers;
  if (!TABS[kind].includes(search.tab)) return refuse(WRONG_TAB[kind]);
  if (sendTo !== undefined && !mayMove(kind, search, sendTo))
    return refuse('That URL can’t replace the target. Nothing was sent.');
  const given = readSearch(search);
  const wanted = given && narrow({ ...given, ...(sendTo !== undefined && { sendTo }) }, answers);
  if (!wanted) return { kind: 'done', done: 0, skipped: 0 };
  const upToId = asOf === undefined ? undefined : earliestIdAt(asOf + 1);
  const page = await lists.listJobs(teamId, wanted, { limit: MOST_AT_ONCE, upToId });
  const isAll = page.next === null;
  const ids = page.rows.map(({ id }) => id);
  const showsResent = kind === 'retry' && wanted.resent !== undefined;
  const onlyResent = { ...wanted, resent: 'only' } as const;
  const resent =
    showsResent && answer === 'ask'
      ? await lists.listJobs(teamId, onlyResent, { limit: MOST_LOOKED_AFTER })
      : NO_PAGE;
  return begin({ store, doing }, teamId, {
    ...answers,
    kind,
    search: wanted,
    upToId,
    total: isAll ? { count: ids.length, isMore: false } : await lists.countJobs(teamId, wanted),
    ids: isAll ? ids : null,
    again: showsResent && { before: upToId ?? earliestIdAt(clock.now() + 1) },
    maybeResent: resent.rows.map(({ id }) => id),
  });
}

function mayMove(kind: BulkKind, { target }: JobSearch, sendTo: string): boolean {
  return kind === 'retry' && target !== undefined && isSendableUrl(sendTo) && isBare(sendTo);
}

const isBare = (url: string) => !/[?#]/.test(url) && url.length <= LIMITS.urlCharacters;

/** Without later failures; waiting jobs are bounded by their ids. Null: nothing is left. */
function narrow(search: StoredSearch, { asOf, resent: answer }: BulkAnswers): StoredSearch | null {
  const { resent, ...rest } = search;
  if (answer === 'leave' && resent === 'only') return null;
  const kept = answer === 'leave' ? rest : search;
  if (asOf === undefined || search.tab !== 'failed') return kept;
  return { ...kept, to: Math.min(search.to ?? asOf + 1, asOf + 1) };
}

interface Bulk extends BulkAnswers {
  kind: BulkKind;
  search: StoredSearch;
  upToId?: string | undefined;
  total: BoundedCount;
  /** Null: too many to do at once. */
  ids: readonly string[] | null;
  /** If one was chosen. */
  only?: string | undefined;
  again: ResendAgain;
  /** The person is asked if some of them were resent. */
  maybeResent: readonly string[];
}

async function begin(
  { store, doing }: DoingContext,
  teamId: string,
  bulk: Bulk,
): Promise<BulkOutcome> {
  const { bulkTasks, clock } = store;
  const { kind, search, upToId, total, ids, only, again } = bulk;
  const { actor } = doing;
  const rate = kind === 'retry' ? bulk.rate : undefined;
  const mismatch = explainMismatch(rate, total);
  if (mismatch !== null) return refuse(mismatch);
  const question = kind === 'retry' ? await askAbout(store, teamId, bulk) : null;
  if (question) return { kind: 'asks', question };
  if (ids === null) {
    const wanted = { kind, search, total, upToId, rate, actor };
    const task = await bulkTasks.create(teamId, wanted, clock.now());
    if (!task) return refuse(TOO_MANY_TASKS);
    await doing.record(teamId, entryOf(bulk, total.count));
    return { kind: 'started', task };
  }
  const spread = rate && { rate, from: null, made: 0 };
  const how = { again, actor, found: search, spread, moved: movedBy(search) };
  const done = await act(store, teamId, { kind, ids, ...how });
  if (done > 0 && only !== undefined)
    await doing.record(teamId, { action: ONE[kind], subject: jobSubject(only) });
  else if (done > 0) await doing.record(teamId, entryOf(bulk, done));
  return { kind: 'done', done, skipped: ids.length - done };
}

const ONE = { fire: 'job.fired', retry: 'job.retried', delete: 'job.deleted' } as const;
const MANY = { fire: 'jobs.fired', retry: 'jobs.retried', delete: 'jobs.deleted' } as const;

function entryOf({ kind, rate }: Bulk, count: number): ActivityEntry {
  const spread = rate ? `, at ${formatRate(rate)}` : '';
  return { action: MANY[kind], detail: `${countOf(count, 'job')}${spread}` };
}

/** At most 24 hours (§2.2). Null: they fit. */
function explainMismatch(rate: Rate | undefined, total: BoundedCount): string | null {
  if (!rate || spanOf(rate, total.count) <= MOST_SPREAD_MS) return null;
  const jobs = `${total.count.toLocaleString('en')}${total.isMore ? ' and more' : ''} jobs`;
  const least = describeRate(leastRate(total.count, MOST_SPREAD_MS));
  return `${jobs} at ${describeRate(rate)} take longer than the 24 hours that a job may wait. Spread them at ${least} or faster.`;
}

/** If some jobs were resent before, or to show when the last is due. Null: no question is needed. */
async function askAbout(
  { jobs, clock }: Store,
  teamId: string,
  { total, maybeResent, rate, isTimed = false }: Bulk,
): Promise<BulkQuestion | null> {
  const counted = maybeResent.length > 0 ? await jobs.countResent(teamId, maybeResent) : null;
  const resent = counted !== null && counted.count > 0 ? counted : null;
  const isSpread = rate !== undefined && !isTimed;
  if (total.count === 0 || (resent === null && !isSpread)) return null;
  const spread = rate ? { rate, endsAt: clock.now() + spanOf(rate, total.count) } : null;
  return { kind: 'retry', total, resent, spread };
}

import type { RunOutcome } from '#domain/runs/run-search';
import { FAILURE_REASONS } from '#domain/judging/failure';
import type { Database } from '../database/database.ts';
import { type Fields, packRows, type Span } from '../database/dialect.ts';
import { pageStatement, preparedStatement, type PreparedStatement } from '../database/prepared.ts';
import {
  ENDED_JOB_STATUSES,
  type EndedJobStatus,
  FAILED_ATTEMPT_STATUSES,
  FAILED_JOB_STATUSES,
  type JobStatus,
} from '#domain/runs/run-status';
import type { EndedTable, RunTable } from '../runs/run-tables.ts';
import { FAILED_ATTEMPTS, FAILED_JOBS } from '../runs/status-lists.ts';
import { fits, type FoundRun, type JobKey, type Search } from './search.ts';
import { FIRST_ID } from '#domain/base/ids';

/** Every list of runs is a merge of such ranges. */
export interface Range {
  kind: RangeKind;
  sourceId: string;
  status: JobStatus;
  /** Set only for `failed`. */
  isRetried: 0 | 1;
  reason: string;
}

export type RangeKind =
  | 'waiting'
  | 'retrying'
  | 'running'
  | 'finished'
  | 'failed'
  | 'executed'
  /** By id: waiting or running ones, and ended ones. */
  | 'open'
  | 'past';

/** No reason is an empty text in the index. */
export const REASONS = ['', ...FAILURE_REASONS];

interface Sources {
  queueIds: readonly string[];
  cronIds?: readonly string[];
}

/** Every run that can match, and as few others as the indexes allow. */
export function rangesOf(search: Search, { queueIds, cronIds = [] }: Sources): Range[] {
  const { ofJobs, ofCrons } = statesOf(search);
  return [...rangesIn(ofJobs, queueIds), ...rangesIn(ofCrons, cronIds)];
}

/** All of a search except its texts, its tag, its id and the reason of an execution. */
export function matcherOf(search: Search): (run: FoundRun) => boolean {
  const { ofJobs, ofCrons } = statesOf(search);
  return (run) => {
    const states = run.kind === 'job' ? ofJobs : ofCrons;
    return states.some((state) => isInState(run, state, search)) && fits(run, search);
  };
}

function isInState(run: FoundRun, { kind, status, isRetried, reason }: State, { tab }: Search) {
  if (run.status !== status) return false;
  if (kind === 'failed')
    return (run.retriedAs !== null) === (isRetried === 1) && (run.reason ?? '') === reason;
  // The range of waiting jobs includes retries.
  if (tab === 'pending') return run.attemptNumber === 1;
  return kind !== 'retrying' || run.attemptNumber !== 1;
}

/** Open ones come first: one that ends meanwhile is then found in either. */
export function historyRanges(cronIds: readonly string[]): Range[] {
  // These kinds have no status.
  return rangesIn(
    [
      { kind: 'open', status: 'pending' },
      { kind: 'past', status: 'success' },
    ],
    cronIds,
  );
}

const STATUSES_OF: Readonly<Record<RunOutcome | 'any', readonly EndedJobStatus[]>> = {
  any: ENDED_JOB_STATUSES,
  success: ['success'],
  failure: FAILED_ATTEMPT_STATUSES,
  retried: ['retried'],
  failed: FAILED_JOB_STATUSES,
};

function rangesIn(states: readonly State[], sourceIds: readonly string[]): Range[] {
  return sourceIds.flatMap((sourceId) =>
    states.map((state) => ({ isRetried: 0, reason: '', ...state, sourceId })),
  );
}

type State = Pick<Range, 'kind' | 'status'> & Partial<Range>;

function statesOf(search: Search): { ofJobs: State[]; ofCrons: State[] } {
  const { tab, reason, outcome = reason === undefined ? 'any' : 'failure' } = search;
  if (tab !== undefined) return { ofJobs: statesOfTab(search), ofCrons: [] };
  const statuses = new Set(STATUSES_OF[outcome]);
  if (reason !== undefined) statuses.delete('success');
  const failed = FAILED_ATTEMPT_STATUSES.filter((status) => statuses.has(status));
  const ofJobs = failedStates(search, failed);
  if (statuses.has('success')) ofJobs.push({ kind: 'finished', status: 'success' });
  const ofCrons = (['success', 'failed'] as const)
    .filter((status) => statuses.has(status))
    .map((status) => ({ kind: 'executed' as const, status }));
  return { ofJobs, ofCrons };
}

function statesOfTab(search: Search): State[] {
  const { tab, reason, statusCode, responseText, resent } = search;
  if (resent === 'only') {
    return tab === 'all' || tab === 'failed' ? failedStates(search, FAILED_JOB_STATUSES) : [];
  }
  const states: State[] = [];
  const mayBeUnfinished =
    reason === undefined && statusCode === undefined && responseText === undefined;
  if (mayBeUnfinished) {
    if (tab === 'all' || tab === 'pending') states.push({ kind: 'waiting', status: 'pending' });
    if (tab === 'retrying') states.push({ kind: 'retrying', status: 'pending' });
    if (tab === 'all' || tab === 'processing') {
      states.push({ kind: 'running', status: 'processing' });
    }
  }
  if ((tab === 'all' || tab === 'completed') && reason === undefined) {
    states.push({ kind: 'finished', status: 'success' });
  }
  if (tab === 'all') states.push(...failedStates(search, ['retried']));
  if (tab === 'all' || tab === 'failed') states.push(...failedStates(search, FAILED_JOB_STATUSES));
  return states;
}

/** By reason and mark if the search filters by either; otherwise ranges of the index that retention uses too. */
function failedStates(
  { tab = 'all', reason, resent }: Search,
  statuses: readonly JobStatus[],
): State[] {
  const isEither = resent === 'any' || (tab === 'all' && resent !== 'only');
  if (reason === undefined && isEither) {
    return statuses.map((status) => ({ kind: 'finished', status }));
  }
  const reasons = reason === undefined ? REASONS : [reason === 'unknown' ? '' : reason];
  const marks = isEither ? ([0, 1] as const) : ([resent === 'only' ? 1 : 0] as const);
  return statuses.flatMap((status) =>
    // Only a person's Retry marks a job, and only a failed one.
    (status === 'retried' ? ([0] as const) : marks).flatMap((isRetried) =>
      reasons.map((each) => ({ kind: 'failed' as const, status, isRetried, reason: each })),
    ),
  );
}

export const RANGE = {
  n: 'int',
  source_id: 'id',
  status: 'text',
  is_retried: 'int',
  reason: 'text',
  at: 'bigint',
  id: 'id',
} as const satisfies Fields;

export const TIME: Record<RangeKind, string> = {
  waiting: 'scheduled_at',
  retrying: 'scheduled_at',
  running: 'started_at',
  finished: 'completed_at',
  failed: 'completed_at',
  executed: 'completed_at',
  open: 'created_at',
  past: 'created_at',
};

const TABLE: Record<RangeKind, RunTable | EndedTable> = {
  waiting: 'jobs',
  retrying: 'jobs',
  running: 'jobs',
  finished: 'ended_jobs',
  failed: 'ended_jobs',
  executed: 'ended_executions',
  open: 'executions',
  past: 'ended_executions',
};

/** When jobs with these keys ended; null if none had ended. */
export function spanOfEnded(keys: readonly { kind: RangeKind; at: number }[]): Span | null {
  const times = keys.filter(({ kind }) => TABLE[kind] === 'ended_jobs').map(({ at }) => at);
  return times.length === 0 ? null : { from: Math.min(...times), to: Math.max(...times) };
}

export function isOfCrons(kind: RangeKind): boolean {
  return TABLE[kind].endsWith('executions');
}

/** In the order of ids, which is that of creation (§1.2). They can't begin in the midst of a time. */
const BY_ID: ReadonlySet<RangeKind> = new Set(['open', 'past']);

/** The condition that a run is in a range `given`. Expressions must match the indexes literally. */
const WITHIN: Record<RangeKind, (jobs: string) => string> = {
  waiting: (j) => `${j}.queue_id = given.source_id and ${j}.status = 'pending'`,
  retrying: (j) =>
    `${j}.queue_id = given.source_id and ${j}.status = 'pending' and ${j}.attempt_number > 1`,
  running: (j) => `${j}.queue_id = given.source_id and ${j}.status = 'processing'`,
  finished: (j) => `${j}.queue_id = given.source_id and ${j}.status = given.status`,
  failed: (j) => `${j}.queue_id = given.source_id and ${j}.status = given.status
    and ${j}.status in ${FAILED_ATTEMPTS}
    and (case when ${j}.retried_as is null then 0 else 1 end) = given.is_retried
    and coalesce(${j}.reason, '') = given.reason`,
  executed: (j) => `${j}.cron_id = given.source_id and ${j}.status = given.status`,
  open: (j) => `${j}.cron_id = given.source_id`,
  past: (j) => `${j}.cron_id = given.source_id`,
};

/** Failed jobs `j` that weren't resent. Must match the index `ended_jobs_failed` literally. */
export const UNRESENT = `j.status in ${FAILED_JOBS}
    and j.status in ${FAILED_ATTEMPTS}
    and (case when j.retried_as is null then 0 else 1 end) = 0`;

interface KeyRow {
  n: number;
  at: number;
  id: string;
}

/** Finds keys after a range's own place. $1 ranges, $2 the bound on the time, $3 limit of each range */
function findKeys(kind: RangeKind, direction: Direction): PreparedStatement<KeyRow> {
  return preparedStatement(`find-${kind}-keys-${direction}`, (dialect) => {
    const time = TIME[kind];
    const within = WITHIN[kind];
    const [behind, until, order] =
      direction === 'down' ? (['<', '>=', ' desc'] as const) : (['>', '<', ''] as const);
    const isById = BY_ID.has(kind);
    const place = isById
      ? `x.id ${behind} given.id`
      : `(x.${time}, x.id) ${behind} (given.at, given.id)`;
    const pick = (columns: string) => `
      select ${columns} from ${TABLE[kind]} x
      where ${within('x')} and ${place} and x.${time} ${until} ${dialect.$(2)}
      order by ${isById ? '' : `x.${time}${order}, `}x.id${order} limit ${dialect.$(3)}`;
    const keys = dialect.joinPicked({ table: TABLE[kind], as: 'k', columns: [time, 'id'], pick });
    return `select given.n as n, k.${time} as at, k.id as id from ${dialect.rows(RANGE, 1)} ${keys}`;
  });
}

export type Direction = 'down' | 'up';

const KINDS = Object.keys(TABLE) as RangeKind[];

function ofEachKind<T>(make: (kind: RangeKind) => T): Record<RangeKind, T> {
  return Object.fromEntries(KINDS.map((kind) => [kind, make(kind)])) as Record<RangeKind, T>;
}

export const FIND_KEYS = {
  down: ofEachKind((kind) => findKeys(kind, 'down')),
  up: ofEachKind((kind) => findKeys(kind, 'up')),
};

/** $1 ranges, $2 from, $3 to, $4 limit */
export const COUNT_KEYS = ofEachKind((kind) =>
  preparedStatement<{ count: number }>(`count-${kind}-keys`, (dialect) => {
    const time = TIME[kind];
    const limit = dialect.$(4);
    const condition = `${WITHIN[kind]('j')} and j.${time} >= ${dialect.$(2)} and j.${time} < ${dialect.$(3)}`;
    const jobs = { table: TABLE[kind], columns: '1', condition, order: `j.${time}`, limit };
    return `select count(*) as count from (
      select 1 from ${dialect.rows(RANGE, 1)} ${dialect.joinUpTo(jobs)} limit ${limit}) as counted`;
  }),
);

/**
 * `ended_jobs_failed` has the reason before the time, so a queue has a range for each; with many queues nearly all are
 * empty. $1 ranges
 */
const findFilled = pageStatement<{ n: number }>('find-filled-ranges', (dialect) => {
  const anyReason = `j.queue_id = given.source_id and j.status = given.status
    and j.status in ${FAILED_ATTEMPTS}
    and (case when j.retried_as is null then 0 else 1 end) = given.is_retried`;
  return `select given.n as n from ${dialect.rows(RANGE, 1)}
    where exists (select 1 from ended_jobs j where ${anyReason})`;
});

const MANY_RANGES = 200;

/** Leaves out empty ranges of failed jobs, if there are many ranges. */
export async function withoutEmpty(db: Database, ranges: readonly Range[]): Promise<Range[]> {
  const failed = ranges.filter(({ kind }) => kind === 'failed');
  if (failed.length < MANY_RANGES) return [...ranges];
  const groups = [...Map.groupBy(failed, groupOf).values()];
  const rows = groups.map(([first], n) => rowOfRange(first as Range, n));
  const filled = await db.read(findFilled, [packRows(RANGE, rows)]);
  const kept = new Set(filled.flatMap(({ n }) => groups[n] ?? []));
  return ranges.filter((range) => range.kind !== 'failed' || kept.has(range));
}

const groupOf = ({ sourceId, status, isRetried }: Range) => `${sourceId} ${status} ${isRetried}`;

/** The place is where its keys are wanted from. */
export function rowOfRange(
  { sourceId, status, isRetried, reason }: Range,
  n: number,
  { at, id }: JobKey = { at: 0, id: FIRST_ID },
) {
  return { n, source_id: sourceId, status, is_retried: isRetried, reason, at, id };
}

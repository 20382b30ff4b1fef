import type { ClaimInput, Taken } from './claim.ts';
import type { ClaimContext, ClaimedGroup, GroupSlots } from './claims.ts';
import { countRuns, nearLimits } from './month-limit.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import {
  allowanceOf,
  CLAIMED_COLUMNS,
  claimedJobs,
  type ClaimJobs,
  earlierFirst,
  delayedStart,
  pausedByWindow,
  type ClaimedJobRow,
  openSlots,
  packSlots,
  QUEUE_COLUMNS,
  type ClaimedQueueRow,
  SLOTS,
  blockerOf,
} from './due-jobs.ts';
import { preparedStatement } from '../database/prepared.ts';
import { periodsOf, usedBy } from '../figures/usage.ts';
import { livingNode } from '../nodes/living-node.ts';
import type { StatementRunner, TransactionScript } from '../database/transaction-script.ts';

interface CountedQueue extends ClaimedQueueRow {
  team_id: string;
  running: number;
  rate_spent_until: number | null;
}

/** Running jobs only with a limit, spent time only with a rate. */
const readQueues = preparedStatement<CountedQueue>(
  'read-queues',
  (dialect) => `
  select ${QUEUE_COLUMNS}, ${usedBy('t.id', '?2')} as used, q.team_id,
    case when q.rate is null then null else (
      select s.rate_spent_until from taken_slots s
      where s.team_id = q.team_id and s.queue_id = q.id and s.number = 0
    ) end as rate_spent_until,
    case when q.concurrency_limit is null then 0 else (
      select count(*) from jobs j where j.queue_id = q.id and j.status = 'processing'
    ) end as running
  from ${dialect.rows(SLOTS, 1)} cross join queues q cross join teams t
  where q.id = given.queue_id and t.id = q.team_id and t.deleted_at is null`,
);

/** SQLite has no lateral join, so each queue is a part of a union. Padding keeps the number of texts small. */
const WIDTHS = [1, 4, 16, 64] as const;

const CLAIMS = new Map(
  WIDTHS.map((width) => [
    width,
    preparedStatement<ClaimedJobRow>(`claim-jobs-${width}`, (dialect) => {
      const parts = Array.from(
        { length: width },
        (_, n) => `select * from (select rowid from jobs where queue_id = ?${2 * n + 3}
          and status = 'pending' and scheduled_at <= ?2 order by scheduled_at, id limit ?${2 * n + 4})`,
      );
      return `update jobs set status = 'processing', claimed_by = ?1, started_at = ?2
        where rowid in (${parts.join(' union all ')})
          and exists (${livingNode(dialect, '?1')})
        returning ${CLAIMED_COLUMNS.join(', ')}, rowid as place`;
    }),
  ]),
);

const readHeads = preparedStatement<{ id: string; next_due_at: number | null }>(
  'read-queue-heads',
  (dialect) => `
  select given.queue_id as id, (
    select j.scheduled_at from jobs j where j.queue_id = given.queue_id and j.status = 'pending'
      and j.scheduled_at >= given.from_at
    order by j.scheduled_at, j.id limit 1
  ) as next_due_at from ${dialect.rows(SLOTS, 1)}`,
);

const SPENT = { team_id: 'id', queue_id: 'id', spent_until: 'bigint' } as const satisfies Fields;

/** The writer is alone, so one row is overwritten. */
const writeSpent = preparedStatement<never>(
  'write-spent-rates',
  (dialect) => `
  insert into taken_slots (team_id, queue_id, number, recount_until, rate_spent_until)
  select team_id, queue_id, 0, 0, spent_until from ${dialect.rows(SPENT, 1)} where true
  on conflict (team_id, queue_id, number) do update set rate_spent_until = excluded.rate_spent_until`,
);

const allowanceAt = (queue: CountedQueue | undefined, now: number) =>
  allowanceOf(queue, queue?.rate_spent_until ?? null, now);

type Queues = ReadonlyMap<string, CountedQueue>;

export const claimJobs: TransactionScript<ClaimInput, Taken<CountedQueue, ClaimedJobRow>> = {
  name: 'claim-jobs',
  async run(runner, input) {
    const { asked, nodeId, now, limits } = input;
    const read = await runner.rows(readQueues, [packSlots(asked), periodsOf(now).month]);
    const queues = new Map(read.map((queue) => [queue.id, queue]));
    const due = await takeDue(runner, input, queues);
    const heads = await runner.rows(readHeads, [packSlots(asked)]);
    const claim = { table: 'jobs', nodeId, now } as const;
    const rows = await countRuns(runner, claim, due, nearLimits(queues, limits, queueOf));
    const taken = Map.groupBy(due, queueOf);
    const started = Map.groupBy(rows, queueOf);
    const startedOf = (queueId: string) => started.get(queueId)?.length ?? 0;
    await writeSpentRates(runner, now, queues, startedOf);
    const states = heads.map(({ id, next_due_at }): ClaimedGroup => {
      const queue = queues.get(id);
      const blocker = blockerOf(queue, (queue?.running ?? 0) + (taken.get(id)?.length ?? 0));
      const nextDueAt = blocker === 'gone' ? null : next_due_at;
      const windowEnd = pausedByWindow(queue, now);
      const delay = delayedStart(allowanceAt(queue, now), startedOf(id), windowEnd, now);
      return Object.assign({ id, nextDueAt, blocker }, delay);
    });
    return { rows, blocked: due.length - rows.length, groups: queues, states };
  },
};

const queueOf = ({ queue_id }: ClaimedJobRow) => queue_id;

async function takeDue(
  runner: StatementRunner,
  input: ClaimInput,
  queues: Queues,
): Promise<ClaimedJobRow[]> {
  const open: GroupSlots[] = [];
  for (const group of input.asked) {
    const queue = queues.get(group.id);
    const allowance = allowanceAt(queue, input.now);
    const slots = openSlots(queue, queue?.running ?? 0, group.slots, allowance);
    if (slots > 0 && pausedByWindow(queue, input.now) === null) open.push({ id: group.id, slots });
  }
  const rows: ClaimedJobRow[] = [];
  const widest = WIDTHS.at(-1) ?? 1;
  for (let from = 0; from < open.length; from += widest) {
    rows.push(...(await takeSome(runner, input, open.slice(from, from + widest))));
  }
  return rows.toSorted(earlierFirst);
}

async function writeSpentRates(
  runner: StatementRunner,
  now: number,
  queues: Queues,
  startedOf: (queueId: string) => number,
): Promise<void> {
  const spent = [...queues.values()].flatMap((queue) => {
    const allowance = allowanceAt(queue, now);
    const started = startedOf(queue.id);
    if (!allowance || started === 0) return [];
    const spent_until = allowance.from + started * allowance.stepUs;
    return [{ team_id: queue.team_id, queue_id: queue.id, spent_until }];
  });
  if (spent.length > 0) await runner.rows(writeSpent, [packRows(SPENT, spent)]);
}

export function jobClaims(context: ClaimContext): ClaimJobs {
  return async (asked, { nodeId, now, limits }) => {
    const input = { asked, nodeId, now, limits };
    const { rows, blocked, groups, states } = await context.db.perform(claimJobs, input);
    const claimed = claimedJobs(rows, groups.values(), context, now);
    return { claimed, blocked, groups: states };
  };
}

async function takeSome(
  runner: StatementRunner,
  { nodeId, now }: ClaimInput,
  open: readonly GroupSlots[],
): Promise<ClaimedJobRow[]> {
  const width = WIDTHS.find((each) => each >= open.length) ?? 64;
  const statement = CLAIMS.get(width);
  if (!statement) throw new Error(`no claim of ${width} queues`);
  const parameters: (string | number | null)[] = [nodeId, now];
  for (let n = 0; n < width; n++) {
    const queue = open[n];
    parameters.push(queue?.id ?? null, queue?.slots ?? 0);
  }
  return runner.rows(statement, parameters);
}

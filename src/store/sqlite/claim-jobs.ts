import { type ClaimInput, claimScript, type KindOfClaim, type FlowHead } from '../runs/claim.ts';
import type { ClaimContext, FlowSlots } from '../runs/claims.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import {
  allowanceOf,
  CLAIMED_COLUMNS,
  claimedJobs,
  type ClaimJobs,
  earlierFirst,
  heldByRate,
  type ClaimedJobRow,
  openSlots,
  packSlots,
  QUEUE_COLUMNS,
  type ClaimedQueueRow,
  SLOTS,
  whatHolds,
} from '../runs/due-jobs.ts';
import { preparedStatement } from '../database/prepared.ts';
import { periodsOf, usedBy } from '../figures/usage.ts';
import { livingNode } from '../nodes/living-node.ts';
import type { StatementRunner } from '../database/transaction-script.ts';

interface CountedQueue extends ClaimedQueueRow {
  team_id: string;
  running: number;
  rate_spent_until: number | null;
}

/**
 * Counts running jobs only where there is a limit: one range of the index of running jobs. What is spent of a rate is
 * read only where there is one.
 */
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

/**
 * The number of queues of one statement. SQLite has no lateral join, so each queue has its own part of a union. Fewer
 * queues are padded, so that only a few texts are ever prepared.
 */
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

const readHeads = preparedStatement<FlowHead>(
  'read-queue-heads',
  (dialect) => `
  select given.queue_id as id, (
    select j.scheduled_at from jobs j where j.queue_id = given.queue_id and j.status = 'pending'
      and j.scheduled_at >= given.from_at
    order by j.scheduled_at, j.id limit 1
  ) as next_due_at from ${dialect.rows(SLOTS, 1)}`,
);

const SPENT = { team_id: 'id', queue_id: 'id', spent_until: 'bigint' } as const satisfies Fields;

/** The writer is alone, so one row for each queue with a rate is written over. */
const writeSpent = preparedStatement<never>(
  'write-spent-rates',
  (dialect) => `
  insert into taken_slots (team_id, queue_id, number, recount_until, rate_spent_until)
  select team_id, queue_id, 0, 0, spent_until from ${dialect.rows(SPENT, 1)} where true
  on conflict (team_id, queue_id, number) do update set rate_spent_until = excluded.rate_spent_until`,
);

const allowanceAt = (queue: CountedQueue | undefined, now: number) =>
  allowanceOf(queue, queue?.rate_spent_until ?? null, now);

const JOBS: KindOfClaim<ClaimInput, CountedQueue, ClaimedJobRow> = {
  table: 'jobs',
  flowOf: ({ queue_id }) => queue_id,
  readFlows: (runner, { asked, now }) =>
    runner.rows(readQueues, [packSlots(asked), periodsOf(now).month]),
  async take(runner, input, queues) {
    const open: FlowSlots[] = [];
    for (const flow of input.asked) {
      const queue = queues.get(flow.id);
      const allowance = allowanceAt(queue, input.now);
      const slots = openSlots(queue, queue?.running ?? 0, flow.slots, allowance);
      if (slots > 0) open.push({ id: flow.id, slots });
    }
    const rows: ClaimedJobRow[] = [];
    const widest = WIDTHS.at(-1) ?? 1;
    for (let from = 0; from < open.length; from += widest) {
      rows.push(...(await takeSome(runner, input, open.slice(from, from + widest))));
    }
    return rows.toSorted(earlierFirst);
  },
  async noteStarts(runner, { now }, queues, started) {
    const spent = [...started].flatMap(([queueId, count]) => {
      const queue = queues.get(queueId);
      const allowance = allowanceAt(queue, now);
      if (!queue || !allowance) return [];
      const spent_until = allowance.from + count * allowance.stepUs;
      return [{ team_id: queue.team_id, queue_id: queueId, spent_until }];
    });
    if (spent.length > 0) await runner.rows(writeSpent, [packRows(SPENT, spent)]);
  },
  readHeads: (runner, { asked }) => runner.rows(readHeads, [packSlots(asked)]),
  whatHolds: (queue, taken) => whatHolds(queue, (queue?.running ?? 0) + taken),
  heldByRate: (queue, started, now) => heldByRate(allowanceAt(queue, now), started, now),
};

export const claimJobs = claimScript(JOBS);

export function jobClaims(context: ClaimContext): ClaimJobs {
  return async (asked, { nodeId, now, limits }) => {
    const input = { asked, nodeId, now, limits };
    const { rows, blocked, heads, flows } = await context.db.perform(claimJobs, input);
    const claimed = claimedJobs(rows, flows.values(), context, now);
    return { claimed, blocked, flows: heads };
  };
}

async function takeSome(
  runner: StatementRunner,
  { nodeId, now }: ClaimInput,
  open: readonly FlowSlots[],
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

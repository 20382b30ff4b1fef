import { claimInSteps, type CountedQueue, readQueues } from './claim-in-steps.ts';
import type { ClaimInput } from './claim.ts';
import type { GroupSlots } from './claims.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { CLAIMED_COLUMNS, type ClaimedJobRow, packSlots } from './due-jobs.ts';
import { preparedStatement } from '../database/prepared.ts';
import { monthOf } from '../figures/usage.ts';
import { livingNode } from '../nodes/living-node.ts';
import type { Runner } from '../database/runner.ts';

/** Running jobs only with a limit, spent time only with a rate. */
const readCounted = preparedStatement<CountedQueue>('read-queues', (dialect) =>
  readQueues(
    dialect,
    `case when q.rate is null then null else (
      select s.rate_spent_until from taken_slots s
      where s.team_id = q.team_id and s.queue_id = q.id and s.number = 0
    ) end as rate_spent_until,
    case when q.concurrency_limit is null then 0 else (
      select count(*) from jobs j where j.queue_id = q.id and j.status = 'processing'
    ) end as running`,
  ),
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

const SPENT = {
  team_id: 'id',
  queue_id: 'id',
  rate_spent_until: 'bigint',
} as const satisfies Fields;

/** The writer is alone, so one row is overwritten. */
const writeSpent = preparedStatement<never>(
  'write-spent-rates',
  (dialect) => `
  insert into taken_slots (team_id, queue_id, number, recount_until, rate_spent_until)
  select team_id, queue_id, 0, 0, rate_spent_until from ${dialect.rows(SPENT, 1)} where true
  on conflict (team_id, queue_id, number) do update set rate_spent_until = excluded.rate_spent_until`,
);

export const claimJobs = claimInSteps<CountedQueue>({
  lock: async () => 'all',
  read: (runner, { asked, now }) => runner.rows(readCounted, [packSlots(asked), now, monthOf(now)]),
  async take(runner, input) {
    const widest = WIDTHS.at(-1) ?? 1;
    const jobs: ClaimedJobRow[] = [];
    for (let from = 0; from < input.asked.length; from += widest) {
      jobs.push(...(await takeSome(runner, input, input.asked.slice(from, from + widest))));
    }
    return { jobs, chosen: jobs.length };
  },
  async keep(runner, started) {
    const rows = started
      .filter(({ rate_spent_until }) => rate_spent_until !== null)
      .map(({ queue: { team_id, id }, rate_spent_until }) => {
        return { team_id, queue_id: id, rate_spent_until };
      });
    if (rows.length > 0) await runner.rows(writeSpent, [packRows(SPENT, rows)]);
  },
});

async function takeSome(
  runner: Runner,
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

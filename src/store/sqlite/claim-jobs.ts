import type { LaneSeats } from '../claims.ts';
import type { Dialect } from '../dialect.ts';
import {
  CLAIMED_COLUMNS,
  type JobClaimInput,
  type JobRow,
  packSeats,
  QUEUE_COLUMNS,
  type QueueClaims,
  type QueueRow,
  SEATS,
} from '../due-jobs.ts';
import { hotStatement, runHot } from '../hot.ts';
import { livingNode } from '../living-node.ts';
import type { HotRunner } from '../procedure.ts';

/** `running` is counted only where there is a limit to compare it with: one range of the index of running jobs. */
const readQueues = hotStatement<QueueRow>(
  'read-queues',
  (dialect) => `
  select ${QUEUE_COLUMNS},
    case when q.concurrency_limit is null then 0 else (
      select count(*) from jobs j where j.queue_id = q.id and j.status = 'processing'
    ) end as running
  from ${dialect.rows(SEATS, 1)} cross join queues q cross join teams t
  where q.id = given.queue_id and t.id = q.team_id and t.deleted_at is null`,
);

/** SQLite has no lateral join: each queue has its own part of a union. Queues served by one statement; fewer are padded, so that only a few texts are ever prepared. */
const WIDTHS = [1, 4, 16, 64] as const;

const CLAIMS = new Map(
  WIDTHS.map((width) => [
    width,
    hotStatement<JobRow>(`claim-jobs-${width}`, (dialect) => {
      const parts = Array.from(
        { length: width },
        (_, n) => `select * from (select rowid from jobs where queue_id = ?${2 * n + 3}
          and status = 'pending' and scheduled_at <= ?2 order by scheduled_at, id limit ?${2 * n + 4})`,
      );
      return `update jobs set status = 'processing', claimed_by = ?1, started_at = ?2
        where rowid in (${parts.join(' union all ')})
          and exists (${livingNode(dialect, '?1')})
        returning ${CLAIMED_COLUMNS}`;
    }),
  ]),
);

export const queueClaims: QueueClaims = {
  readQueues: (runner, dialect, { asked }) =>
    runHot(runner, dialect, readQueues, [packSeats(asked)]),
  async takeJobs(runner, dialect, input, open) {
    const rows: JobRow[] = [];
    const widest = WIDTHS.at(-1) ?? 1;
    for (let from = 0; from < open.length; from += widest) {
      rows.push(...(await takeSome(runner, dialect, input, open.slice(from, from + widest))));
    }
    return rows;
  },
};

async function takeSome(
  runner: HotRunner,
  dialect: Dialect,
  { nodeId, now }: JobClaimInput,
  open: readonly LaneSeats[],
): Promise<JobRow[]> {
  const width = WIDTHS.find((each) => each >= open.length) ?? 64;
  const statement = CLAIMS.get(width);
  if (!statement) throw new Error(`no claim of ${width} queues`);
  const parameters: (string | number | null)[] = [nodeId, now];
  for (let n = 0; n < width; n++) {
    const queue = open[n];
    parameters.push(queue?.id ?? null, queue?.seats ?? 0);
  }
  return runHot(runner, dialect, statement, parameters);
}

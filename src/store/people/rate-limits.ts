import { sql } from '../database/sql.ts';
import { bind, type Context } from '../database/context.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { GroupCommit } from '../database/group-commit.ts';
import { preparedStatement } from '../database/prepared.ts';
import { above, atMost, change, remove } from '../database/rows.ts';

interface CountingWindow {
  endsAt: number;
  hits: number;
}

interface Hit {
  key: string;
  now: number;
  lengthMs: number;
}

const MAX_BATCH = 1_000;

const HITS = { key: 'text', ends_at: 'bigint', hits: 'int' } as const satisfies Fields;

/** More than the clocks of two nodes differ. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Opens a new window if the last one of its key has ended, or opened before the clock was set back. $1 `HITS`,
 * $2 now
 */
const countHits = preparedStatement<{ key: string; ends_at: number; hits: number }>(
  'count-hits',
  ({ $, rows }) => {
    const isOver = `(rate_windows.ends_at <= ${$(2, 'bigint')}
      or rate_windows.ends_at > excluded.ends_at + ${CLOCK_TOLERANCE_MS})`;
    return `
  insert into rate_windows (key, ends_at, hits)
  select key, ends_at, hits from ${rows(HITS, 1)} where true
  on conflict (key) do update set
    hits = case when ${isOver} then 0 else rate_windows.hits end + excluded.hits,
    ends_at = case when ${isOver} then excluded.ends_at else rate_windows.ends_at end
  returning key, ends_at, hits`;
  },
);

/** Limited actions and API requests (§8.1); shared by all nodes. */
export function rateLimits(context: Context) {
  const counting = new GroupCommit((hits: readonly Hit[]) => countAll(context, hits), {
    maxBatch: MAX_BATCH,
  });
  return {
    ...bind(context, { deleteEnded, takeBack }),
    /** Events that arrive together share a commit: each commit locks the rows of its keys. */
    count: (key: string, now: number, lengthMs: number): Promise<CountingWindow> =>
      counting.add({ key, now, lengthMs }),
  };
}

async function countAll({ main }: Context, hits: readonly Hit[]): Promise<CountingWindow[]> {
  // In one order, to prevent deadlocks.
  const counts = [...Map.groupBy(hits, ({ key }) => key)]
    .map(([key, ofKey]) => {
      const { now, lengthMs } = ofKey.at(-1) as Hit;
      return { key, ends_at: now + lengthMs, hits: ofKey.length };
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const rows = await main.rows(countHits, [packRows(HITS, counts), hits.at(-1)?.now]);
  const counted = new Map(rows.map((row) => [row.key, row]));
  for (const { key, hits } of counts) {
    const window = counted.get(key);
    if (window) window.hits -= hits;
  }
  return hits.map(({ key, now, lengthMs }) => {
    const window = counted.get(key);
    if (!window) return { endsAt: now + lengthMs, hits: 1 };
    return { endsAt: window.ends_at, hits: ++window.hits };
  });
}

/** It was no wrong guess. */
async function takeBack({ main }: Context, key: string): Promise<void> {
  await change(main, 'rate_windows', { key, hits: above(0) }, { hits: sql`hits - 1` });
}

async function deleteEnded({ main }: Context, now: number): Promise<void> {
  await remove(main, 'rate_windows', { ends_at: atMost(now) });
}

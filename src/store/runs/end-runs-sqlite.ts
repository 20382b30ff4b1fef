import { HOUR_MS } from '#domain/base/instant';
import { insertCallbackRows } from '../callbacks/callbacks.ts';
import { copyLiveJobs } from '../jobs/copy-jobs.ts';
import { type Dialect, packRows, type RowOf } from '../database/dialect.ts';
import { RUN_GROUP, countRunGroups } from '../figures/batch-counts.ts';
import { durationStep } from '../figures/durations.ts';
import { type PreparedStatement, preparedStatement } from '../database/prepared.ts';
import type { TransactionScript } from '../database/transaction-script.ts';
import {
  ENDED,
  ENDED_TABLE,
  KEY,
  ofEachTable,
  RUNNING,
  type RunTable,
  SOURCE_COLUMN,
} from './run-tables.ts';
import {
  type EndedRow,
  insertEnded,
  NO_ROWS,
  type PackedSettlements,
  streakOf,
} from './settlement.ts';

const COUNTED = ['team_id', 'status', 'completed_at', 'reason', 'duration_ms'] as const;

interface Counted extends Omit<RunGroup, 'duration_step' | 'runs'> {
  reason: string | null;
  duration_ms: number;
}

type RunGroup = RowOf<typeof RUN_GROUP> & { runs: number };

/** Without those that are no longer this node's. $1 ends, $2 node */
const endStatement = (table: RunTable, byPlace: boolean) =>
  preparedStatement<EndedRow & Counted>(`end-${table}${byPlace ? '-by-place' : ''}`, (dialect) => {
    const from = `${dialect.columns(ENDED, 1)} cross join ${table}
      where ${isClaimed(dialect, table, byPlace)}`;
    const ended = ENDED_TABLE[table];
    return `${insertEnded(dialect, table, { kept: table, outcome: 'given', from })}
      returning id, ${SOURCE_COLUMN[table]} as source_id, ${COUNTED.join(', ')} ${streakOf(table, ended)}`;
  });

const END = ofEachTable((table) => endStatement(table, false));
const END_JOBS_BY_PLACE = endStatement('jobs', true);

function isClaimed(dialect: Dialect, table: RunTable, byPlace: boolean): string {
  const isIt = byPlace ? `${table}.rowid = given.place` : `${table}.team_id = given.team_id`;
  return `${isIt} and ${table}.id = given.id
    and ${dialect.withoutIndex(`${table}.status`)} = '${RUNNING[table]}' and ${table}.claimed_by = ${dialect.$(2)}`;
}

const TAKE_OUT = ofEachTable((table) =>
  preparedStatement<never>(
    `take-out-${table}`,
    (dialect) => `
    delete from ${table} where rowid in (
      select ${table}.rowid from ${dialect.rows(KEY, 1)} cross join ${table}
      where ${isClaimed(dialect, table, false)})`,
  ),
);

const TAKE_OUT_PLACES = preparedStatement<never>(
  'take-out-places',
  () => 'delete from jobs where rowid in (select value from json_each(?1))',
);

/** No statement of SQLite changes several tables. */
export const endRuns: TransactionScript<PackedSettlements, EndedRow[] | null> = {
  name: 'end-runs',
  async run(runner, input) {
    const { table, nodeId, count } = input;
    const statement = input.byPlace ? END_JOBS_BY_PLACE : END[table];
    const ended = await runner.rows(statement, [...input.ends, nodeId]);
    if (ended.length === 0) return ended;
    const kept = ended.length === count ? input : onlyOf(ended, input);
    const write = async (statement: PreparedStatement<never>, packed: string) => {
      if (packed !== NO_ROWS) await runner.rows(statement, [packed]);
    };
    await write(copyLiveJobs, kept.copies);
    await write(insertCallbackRows, kept.callbacks);
    await write(countRunGroups, packRows(RUN_GROUP, groupRuns(ended)));
    if (input.byPlace && ended.length === count) await runner.rows(TAKE_OUT_PLACES, [input.places]);
    else await runner.rows(TAKE_OUT[table], [packRows(KEY, ended), nodeId]);
    return table === 'jobs' && ended.length === count ? null : ended;
  },
};

/** Few rows to unpack: most runs of a batch end in the same hour and way. */
function groupRuns(ended: readonly (EndedRow & Counted)[]): RunGroup[] {
  const groups = new Map<string, RunGroup>();
  for (const { team_id, source_id, status, completed_at, reason, duration_ms } of ended) {
    const hour = (completed_at ?? 0) - ((completed_at ?? 0) % HOUR_MS);
    const duration_step = durationStep(reason, duration_ms);
    const key = `${team_id} ${source_id} ${status} ${hour} ${duration_step}`;
    const others = groups.get(key);
    if (others) others.runs++;
    else
      groups.set(key, { team_id, source_id, status, completed_at: hour, duration_step, runs: 1 });
  }
  return [...groups.values()];
}

/** Rarely needed, so unpacking the batch is acceptable. */
function onlyOf(ended: readonly EndedRow[], input: PackedSettlements): PackedSettlements {
  const ours = new Set(ended.map(({ id }) => id));
  const keep = (packed: string, key: string) => {
    const rows = JSON.parse(packed) as Record<string, string>[];
    return JSON.stringify(rows.filter((row) => ours.has(row[key] ?? '')));
  };
  return {
    ...input,
    copies: keep(input.copies, 'from_id'),
    callbacks: keep(input.callbacks, 'run_id'),
  };
}

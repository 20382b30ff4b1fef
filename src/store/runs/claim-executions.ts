import { nextRunAfter } from '#domain/cron/cron';
import { withinEnd } from '#domain/cron/cron-end';
import { findPauseEnd } from '#domain/team/maintenance';
import { readPausingWindows } from '../alerts/window-rows.ts';
import { endOf } from '../crons/row-end.ts';
import { newId } from '#domain/base/ids';
import {
  claimedRun,
  type ClaimInput,
  readSettings,
  type Taken,
  type GroupRow,
  type SettingsRow,
  type TakenRow,
} from './claim.ts';
import type {
  Claim,
  Claimant,
  ClaimedExecution,
  ClaimedGroup,
  ClaimContext,
  GroupSlots,
} from './claims.ts';
import { type Fields, IDS, packIds, packRows } from '../database/dialect.ts';
import { KEY, TEAM_SLOTS, type TeamSlots } from './run-tables.ts';
import { findLockedTeams, type SkippedGroups } from './locked-groups.ts';
import { preparedStatement, updateEach } from '../database/prepared.ts';
import { monthOf, usedBy } from '../figures/usage.ts';
import { lockNode } from '../nodes/living-node.ts';
import type { Runner } from '../database/runner.ts';
import type { TransactionScript } from '../database/transaction-script.ts';
import { countRuns, nearLimitOf } from './month-limit.ts';
import type { Row } from '../tables/tables.ts';
import { teamHeads } from './waiting.ts';

/** `id` is the run's. */
interface ClaimedExecutionRow
  extends TakenRow, SettingsRow, Pick<Row<'crons'>, 'cron_expression' | 'next_run_at' | 'payload'> {
  cron_id: string;
  due_at: number;
}

const SENT_COLUMNS = [
  'team_id',
  'method',
  'url',
  'callback_url',
  'cron_expression',
  'timeout_seconds',
  'assertions',
  'slow_seconds',
  'keeps_response_body',
  'next_run_at',
  'sealed_headers',
  'payload',
];
const CRON_COLUMNS = ['id as cron_id', ...SENT_COLUMNS].map((name) => `c.${name}`).join(', ');
const DUE_COLUMNS = ['id', ...SENT_COLUMNS, 'ends_at', 'max_runs', 'runs_counted'];

const mostSlots = (teams: readonly TeamSlots[]) => Math.max(...teams.map(({ slots }) => slots));

/** $1 `TEAM_SLOTS`, $2 most slots of a team */
const lockRunNows = preparedStatement<ClaimedExecutionRow>(
  'lock-run-nows',
  (dialect) => `
  select x.id, x.created_at as due_at, ${CRON_COLUMNS}
  from ${dialect.rows(TEAM_SLOTS, 1)} ${dialect.joinPicked({
    table: 'executions',
    as: 'x',
    columns: ['team_id', 'id', 'cron_id', 'created_at'],
    pick: (columns) => `
    select ${columns} from executions x where x.team_id = given.team_id and x.status = 'pending'
    order by x.created_at, x.id limit ${dialect.$(2)} ${dialect.lock('for update skip locked')}`,
  })} cross join crons c
  where c.team_id = x.team_id and c.id = x.cron_id`,
);

const START = { ...KEY, status: 'text', claimed_by: 'id', started_at: 'bigint' } as const;

const startRunNows = updateEach('start-run-nows', 'executions', START);

async function startWaiting(
  runner: Runner,
  { nodeId, now }: ClaimInput,
  teams: readonly TeamSlots[],
): Promise<ClaimedExecutionRow[]> {
  const waiting = await runner.rows(lockRunNows, [packRows(TEAM_SLOTS, teams), mostSlots(teams)]);
  if (waiting.length === 0) return [];
  const due = firstOf(waiting, teams);
  const started = { status: 'running', claimed_by: nodeId, started_at: now };
  const rows = due.map(({ team_id, id }) => ({ team_id, id, ...started }));
  await runner.rows(startRunNows, [packRows(START, rows)]);
  return due;
}

/** As many of each team as it has slots. */
function firstOf<Row extends Omit<ClaimedExecutionRow, 'id'>>(
  rows: readonly Row[],
  teams: readonly TeamSlots[],
): Row[] {
  const byTeam = Map.groupBy(rows.toSorted(earlierFirst), ({ team_id }) => team_id);
  return teams.flatMap(({ team_id, slots }) => byTeam.get(team_id)?.slice(0, slots) ?? []);
}

type DueCronRow = Omit<ClaimedExecutionRow, 'id'> &
  Pick<Row<'crons'>, 'ends_at' | 'max_runs' | 'runs_counted'>;

/** $1 `TEAM_SLOTS`, $2 now, $3 most slots of a team */
const lockDueCrons = preparedStatement<DueCronRow>(
  'lock-due-crons',
  (dialect) => `
  select ${CRON_COLUMNS}, c.next_run_at as due_at, c.ends_at, c.max_runs, c.runs_counted
  from ${dialect.rows(TEAM_SLOTS, 1)} ${dialect.joinPicked({
    table: 'crons',
    as: 'c',
    columns: DUE_COLUMNS,
    pick: (columns) => `
    select ${columns} from crons x where x.team_id = given.team_id and x.next_run_at <= ${dialect.$(2)}
    order by x.next_run_at, x.id limit ${dialect.$(3)} ${dialect.lock('for update skip locked')}`,
  })}`,
);

const TICK = {
  team_id: 'id',
  cron_id: 'id',
  execution_id: 'id',
  due_at: 'bigint',
} as const satisfies Fields;

const MOVE = {
  team_id: 'id',
  id: 'id',
  next_run_at: 'bigint',
  runs_counted: 'int',
} as const satisfies Fields;

const moveCronsOn = updateEach('move-crons-on', 'crons', MOVE);

/** Not an `exists`, which Postgres may join, reading all executions. */
function hasNotRun(table: 'executions' | 'ended_executions'): string {
  return `(select e.id from ${table} e where e.team_id = given.team_id
    and e.cron_id = given.cron_id and e.scheduled_for = given.due_at limit 1) is null`;
}

/**
 * A time that has run is in one of the two tables in this snapshot. The unique constraint alone would wait for a run
 * that is just ending, and not see it in the other table.
 */
const insertTicks = preparedStatement<{ id: string }>('insert-ticks', (dialect) => {
  const [node, now] = [dialect.$(2, 'id'), dialect.$(3, 'bigint')];
  return `
  insert into executions (team_id, id, cron_id, scheduled_for, status, created_at, started_at, claimed_by)
  select team_id, execution_id, cron_id, due_at, 'running', ${now}, ${now}, ${node}
  from ${dialect.rows(TICK, 1)}
  where ${hasNotRun('executions')} and ${hasNotRun('ended_executions')}
  on conflict (team_id, cron_id, scheduled_for) do nothing
  returning id`;
});

/** Sets the next times in the same transaction, so no two nodes run a time twice. */
async function startTicks(
  runner: Runner,
  { nodeId, now }: ClaimInput,
  teams: readonly TeamSlots[],
  known: Teams,
): Promise<ClaimedExecutionRow[]> {
  const parameters = [packRows(TEAM_SLOTS, teams), now, mostSlots(teams)];
  const found = await runner.rows(lockDueCrons, parameters);
  if (found.length === 0) return [];
  const due = firstOf(found, teams);
  const skipped = findSkipped(due, known, now);
  const runs = due.map((cron) => Object.assign(cron, { id: newId(now) }));
  const started = runs.filter((run) => !skipped.has(run));
  const ticks = started.map(({ team_id, cron_id, id, due_at }) => {
    return { team_id, cron_id, execution_id: id, due_at };
  });
  const inserted = await runner.rows(insertTicks, [packRows(TICK, ticks), nodeId, now]);
  const ours = new Set(inserted.map(({ id }) => id));
  const moves = runs.map((run) => {
    const { team_id, cron_id, cron_expression, max_runs } = run;
    // A time that has run already is no second one.
    const runs_counted = run.runs_counted + (max_runs !== null && ours.has(run.id) ? 1 : 0);
    const next = nextRunAfter(cron_expression, skipped.get(run) ?? now);
    const next_run_at = withinEnd(next, endOf(run), runs_counted);
    return { team_id, id: cron_id, next_run_at, runs_counted };
  });
  await runner.rows(moveCronsOn, [packRows(MOVE, moves)]);
  return runs.filter(({ id }) => ours.has(id));
}

/**
 * Times in a maintenance window that pauses the cron, and missed times inside one. @returns after which times to
 * continue
 */
function findSkipped(
  due: readonly DueCronRow[],
  teams: Teams,
  now: number,
): ReadonlyMap<DueCronRow, number> {
  const pausing = new Map(
    Iterator.from(teams.values()).map(({ id, pausing_windows }) => [
      id,
      readPausingWindows(pausing_windows),
    ]),
  );
  const skipped = new Map<DueCronRow, number>();
  for (const cron of due) {
    const windows = pausing.get(cron.team_id) ?? [];
    const source = { kind: 'cron', id: cron.cron_id } as const;
    const endOfMissed = findPauseEnd(windows, source, cron.due_at);
    if (findPauseEnd(windows, source, now) !== null) skipped.set(cron, now);
    // The end itself isn't in the window.
    else if (endOfMissed !== null) skipped.set(cron, endOfMissed - 1);
  }
  return skipped;
}

function earlierFirst<Row extends Pick<DueCronRow, 'due_at' | 'cron_id'>>(a: Row, b: Row): number {
  return a.due_at - b.due_at || (a.cron_id < b.cron_id ? -1 : 1);
}

interface TeamRow extends GroupRow {
  is_paused: 0 | 1;
  pausing_windows: string | null;
}

const readLivingTeams = preparedStatement<TeamRow>(
  'read-teams',
  (dialect) => `
  select t.id, t.plan, ${usedBy('t.id', dialect.$(2))} as used, t.sealed_signing_secret,
    case when t.paused_at is null then 0 else 1 end as is_paused, t.pausing_windows
  from ${dialect.rows(IDS, 1)} ${dialect.limitLockWaits} cross join teams t
  where t.id = given.id and t.deleted_at is null`,
);

const readTeamHeads = preparedStatement<{
  id: string;
  next_run_at: number | null;
  waiting_since: number | null;
}>(
  'read-team-heads',
  (dialect) => `
  select given.id, ${teamHeads()}
  from ${dialect.rows(IDS, 1)} cross join teams t where t.id = given.id`,
);

const packTeams = (asked: readonly GroupSlots[]) => packIds(asked.map(({ id }) => id));

type Teams = ReadonlyMap<string, TeamRow>;

/** Run nows first, then due times unless the team is paused (§3.11). Several missed times count as one (§3.7). */
async function startDue(
  runner: Runner,
  input: ClaimInput,
  teams: Teams,
): Promise<ClaimedExecutionRow[]> {
  if (!(await lockNode(runner, input.nodeId))) return [];
  const asked = input.asked.flatMap(({ id, slots }) =>
    teams.has(id) && slots > 0 ? [{ team_id: id, slots }] : [],
  );
  if (asked.length === 0) return [];
  const manual = await startWaiting(runner, input, asked);
  const taken = Map.groupBy(manual, ({ team_id }) => team_id);
  const left = asked.flatMap(({ team_id, slots }) => {
    const rest = slots - (taken.get(team_id)?.length ?? 0);
    return rest > 0 && teams.get(team_id)?.is_paused !== 1 ? [{ team_id, slots: rest }] : [];
  });
  return left.length === 0
    ? manual
    : [...manual, ...(await startTicks(runner, input, left, teams))];
}

/** Crons of a deleted team are never due. */
async function readStates(
  runner: Runner,
  { asked }: ClaimInput,
  teams: Teams,
): Promise<ClaimedGroup[]> {
  const heads = await runner.rows(readTeamHeads, [packTeams(asked)]);
  return heads.map(({ id, next_run_at, waiting_since }) => {
    const earliest = Math.min(next_run_at ?? Infinity, waiting_since ?? Infinity);
    const isDue = teams.has(id) && earliest !== Infinity;
    return { id, nextDueAt: isDue ? earliest : null, blocker: teams.has(id) ? 'nothing' : 'gone' };
  });
}

export const claimExecutionsScript: TransactionScript<
  ClaimInput,
  Taken<TeamRow, ClaimedExecutionRow>
> = {
  name: 'claim-executions',
  async run(runner, input) {
    const { asked, nodeId, now, limits } = input;
    const read = await runner.rows(readLivingTeams, [packTeams(asked), monthOf(now)]);
    const near = read.filter((team) => nearLimitOf(team, limits) !== null).map(({ id }) => id);
    const locked = await findLockedTeams(runner, near, now);
    const teams = new Map(read.flatMap((team) => (locked.has(team.id) ? [] : [[team.id, team]])));
    const due = await startDue(runner, input, teams);
    const states = await readStates(runner, input, teams);
    const claim = { table: 'executions', nodeId, now } as const;
    const rows = await countRuns(runner, claim, due, ({ team_id }) =>
      nearLimitOf(teams.get(team_id), limits),
    );
    const free = states.filter(({ id }) => !locked.has(id));
    return { rows, due: due.length, groups: teams, states: free, locked };
  },
};

export async function claimExecutions(
  context: ClaimContext,
  skipped: SkippedGroups,
  asked: readonly GroupSlots[],
  claimant: Claimant,
): Promise<Claim<ClaimedExecution>> {
  return skipped.claim(
    asked,
    (some) => context.db.perform(claimExecutionsScript, { asked: some, ...claimant }),
    (rows, teams) =>
      rows.map((row) => executionOf(row, teams.get(row.team_id), context, claimant.now)),
  );
}

function executionOf(
  row: ClaimedExecutionRow,
  team: TeamRow | undefined,
  context: ClaimContext,
  now: number,
): ClaimedExecution {
  const sealed_signing_secret = team?.sealed_signing_secret ?? null;
  const settings = readSettings({ ...row, sealed_signing_secret }, context.secrets);
  const run = claimedRun(row, settings, context.sealer, 'crons', (reader) =>
    reader.readPayload(row.payload),
  );
  return { kind: 'execution', ...run, cronId: row.cron_id, startedAt: now, dueAt: row.due_at };
}

import type { HttpMethod } from '#domain/exchange';
import { newId } from '#domain/ids';
import { sql } from 'kysely';
import type { Claimant, ClaimedExecution, SecretReader } from './claims.ts';
import type { Database, Trx } from './database.ts';
import { type Dialect, type Fields, packRows } from './dialect.ts';
import { findHeldLanes } from './held-rows.ts';
import { hotStatement, runHot } from './hot.ts';
import { holdNode } from './living-node.ts';
import { countOutcomes, failedRuns } from './outcomes.ts';
import type { Sealer } from './seal.ts';
import { PartsReader } from './stored-parts.ts';
import { countUsage } from './usage.ts';

/** A team whose crons or Run nows may be due, and how many of them may be started. */
export interface TeamSeats {
  teamId: string;
  seats: number;
}

export interface ExecutionsClaim {
  claimed: ClaimedExecution[];
  blocked: number;
  /** `held`: somebody else holds a row of the team, so that it was left out. */
  teams: { teamId: string; nextDueAt: number | null; holds?: 'held' }[];
}

/** @returns the next run of a schedule strictly after `now`, or null where it never runs again */
export type NextRunAt = (cronExpression: string, now: number) => number | null;

interface CronRow {
  team_id: string;
  id: string;
  method: HttpMethod;
  url: string;
  callback_url: string | null;
  cron_expression: string;
  timeout_seconds: number;
  assertions: string;
  next_run_at: number | null;
  sealed_headers: string | null;
  payload: string | null;
}

interface Started {
  executionId: string;
  dueAt: number;
  cron: CronRow;
}

const CRON_COLUMNS = [
  'team_id',
  'id',
  'method',
  'url',
  'callback_url',
  'cron_expression',
  'timeout_seconds',
  'assertions',
  'next_run_at',
  'sealed_headers',
  'payload',
] as const;

/**
 * Starts what is due of several teams' crons for one node, in one transaction: Run nows first, then due
 * times. A cron's next time is set with the same stroke, so no two nodes run a time twice, and times that
 * were missed count as one (§3.7).
 */
export async function claimDueExecutions(
  { db, sealer, secrets }: { db: Database; sealer: Sealer; secrets: SecretReader },
  asked: readonly TeamSeats[],
  claimant: Claimant,
  nextRunAt: NextRunAt,
): Promise<ExecutionsClaim> {
  return db.transact(async (trx) => {
    const started: Started[] = [];
    const teams = await readTeams(trx, db.dialect, asked);
    if (await holdNode(trx, db.dialect, claimant.nodeId)) {
      for (const { teamId, seats } of asked.filter((each) => teams.has(each.teamId))) {
        const manual = await startWaiting(trx, db.dialect, teamId, seats, claimant);
        const left = seats - manual.length;
        const ticks = await startTicks(trx, db.dialect, teamId, left, claimant, nextRunAt);
        started.push(...manual, ...ticks);
      }
    }
    const allowed = await withinLimit(trx, db.dialect, started, teams, claimant);
    return {
      claimed: allowed.map((each) => claimedExecution(each, teams, sealer, secrets, claimant.now)),
      blocked: started.length - allowed.length,
      teams: await readHeads(trx, db.dialect, asked, teams),
    };
  });
}

/** 1 team, 2 node, 3 now, 4 how many */
const startRunNows = hotStatement<{ id: string; cron_id: string; created_at: number }>(
  'start-run-nows',
  ({ $, isAmongFree }) => `
  update executions set status = 'running', claimed_by = ${$(2)}, started_at = ${$(3)}
  where team_id = ${$(1)} and ${isAmongFree(`
    select id from executions where team_id = ${$(1)} and status = 'pending'
    order by created_at, id limit ${$(4)}`)}
  returning id, cron_id, created_at`,
);

/** Run now: executions that wait without a due time. */
async function startWaiting(
  trx: Trx,
  dialect: Dialect,
  teamId: string,
  seats: number,
  { nodeId, now }: Claimant,
): Promise<Started[]> {
  if (seats <= 0) return [];
  const waiting = await runHot(trx, dialect, startRunNows, [teamId, nodeId, now, seats]);
  if (waiting.length === 0) return [];
  const crons = await trx
    .selectFrom('crons')
    .select(CRON_COLUMNS)
    .where('team_id', '=', teamId)
    .where(
      'id',
      'in',
      waiting.map(({ cron_id }) => cron_id),
    )
    .execute();
  const cronOf = new Map(crons.map((cron) => [cron.id, cron]));
  return waiting.flatMap(({ id, cron_id, created_at }) => {
    const cron = cronOf.get(cron_id);
    return cron ? [{ executionId: id, dueAt: created_at, cron }] : [];
  });
}

const TICK = {
  team_id: 'id',
  cron_id: 'id',
  execution_id: 'id',
  due_at: 'bigint',
  next_run_at: 'bigint',
} as const satisfies Fields;

const moveCronsOn = hotStatement<never>(
  'move-crons-on',
  (dialect) => `
  update crons set next_run_at = given.next_run_at from ${dialect.rows(TICK, 1)}
  where crons.team_id = given.team_id and crons.id = given.cron_id`,
);

const insertTicks = hotStatement<{ id: string }>('insert-ticks', (dialect) => {
  const [node, now] = [dialect.$(2, 'id'), dialect.$(3, 'bigint')];
  return `
  insert into executions (team_id, id, cron_id, scheduled_for, status, created_at, started_at, claimed_by)
  select team_id, execution_id, cron_id, due_at, 'running', ${now}, ${now}, ${node}
  from ${dialect.rows(TICK, 1)} where true
  on conflict (team_id, cron_id, scheduled_for) do nothing
  returning id`;
});

async function startTicks(
  trx: Trx,
  dialect: Dialect,
  teamId: string,
  seats: number,
  { nodeId, now }: Claimant,
  nextRunAt: NextRunAt,
): Promise<Started[]> {
  if (seats <= 0) return [];
  const due = await trx
    .selectFrom('crons')
    .select(CRON_COLUMNS)
    .where('team_id', '=', teamId)
    .where('next_run_at', '<=', now)
    .orderBy('next_run_at')
    .orderBy('id')
    .limit(seats)
    .modifyEnd(sql.raw(dialect.lock('for update skip locked')))
    .execute();
  if (due.length === 0) return [];
  const ticks = due.map((cron) => ({
    team_id: teamId,
    cron_id: cron.id,
    execution_id: newId(now),
    due_at: cron.next_run_at,
    next_run_at: nextRunAt(cron.cron_expression, now),
  }));
  const rows = packRows(TICK, ticks);
  await runHot(trx, dialect, moveCronsOn, [rows]);
  const inserted = await runHot(trx, dialect, insertTicks, [rows, nodeId, now]);
  const ours = new Set(inserted.map(({ id }) => id));
  return due.flatMap((cron, n) => {
    const tick = ticks[n];
    if (!tick || !ours.has(tick.execution_id)) return [];
    return [{ executionId: tick.execution_id, dueAt: cron.next_run_at ?? now, cron }];
  });
}

const TEAM = { team_id: 'id' } as const satisfies Fields;

interface TeamRow {
  id: string;
  plan: string;
  sealed_signing_secret: string | null;
}

const readLivingTeams = hotStatement<TeamRow>(
  'read-teams',
  (dialect) => `
  select t.id, t.plan, t.sealed_signing_secret
  from ${dialect.rows(TEAM, 1)} ${dialect.briefly} cross join teams t
  where t.id = given.team_id and t.deleted_at is null`,
);

export const findHeldTeams = findHeldLanes(
  'find-held-teams',
  (given) => `select t.id, t.id as team_id from ${given} join teams t on t.id = given.id`,
);

async function readTeams(
  trx: Trx,
  dialect: Dialect,
  asked: readonly TeamSeats[],
): Promise<Map<string, TeamRow>> {
  const rows = await runHot(trx, dialect, readLivingTeams, [packTeams(asked)]);
  return new Map(rows.map((row) => [row.id, row]));
}

function packTeams(asked: readonly TeamSeats[]): string {
  return packRows(
    TEAM,
    asked.map(({ teamId }) => ({ team_id: teamId })),
  );
}

async function withinLimit(
  trx: Trx,
  dialect: Dialect,
  started: readonly Started[],
  teams: ReadonlyMap<string, TeamRow>,
  claimant: Claimant,
): Promise<Started[]> {
  if (started.length === 0) return [];
  const byTeam = Map.groupBy(started, ({ cron }) => cron.team_id);
  const wanted = [...byTeam].map(([teamId, runs]) => ({
    teamId,
    runs: runs.length,
    monthlyLimit: claimant.monthlyLimitOf(teams.get(teamId)?.plan ?? ''),
  }));
  const granted = await countUsage(trx, dialect, wanted, claimant.now);
  const over = [...byTeam].flatMap(([teamId, runs]) => runs.slice(granted.get(teamId) ?? 0));
  if (over.length === 0) return [...started];
  await trx
    .updateTable('executions')
    .set({
      status: 'failed',
      claimed_by: null,
      completed_at: claimant.now,
      duration_ms: 0,
      reason: 'limit_exceeded',
      error_message: 'Monthly limit reached',
    })
    .where(
      'id',
      'in',
      over.map(({ executionId }) => executionId),
    )
    .execute();
  const teamsOver = over.map(({ cron }) => ({ team_id: cron.team_id }));
  await countOutcomes(trx, dialect, failedRuns(teamsOver, claimant.now));
  return started.filter((each) => !over.includes(each));
}

const readTeamHeads = hotStatement<{
  team_id: string;
  next_run_at: number | null;
  waiting_since: number | null;
}>(
  'read-team-heads',
  (dialect) => `
  select given.team_id,
    (select c.next_run_at from crons c where c.team_id = given.team_id and c.next_run_at is not null
     order by c.next_run_at limit 1) as next_run_at,
    (select e.created_at from executions e where e.team_id = given.team_id and e.status = 'pending'
     order by e.created_at limit 1) as waiting_since
  from ${dialect.rows(TEAM, 1)}`,
);

async function readHeads(
  trx: Trx,
  dialect: Dialect,
  asked: readonly TeamSeats[],
  teams: ReadonlyMap<string, TeamRow>,
): Promise<ExecutionsClaim['teams']> {
  const heads = await runHot(trx, dialect, readTeamHeads, [packTeams(asked)]);
  return heads.map(({ team_id, next_run_at, waiting_since }) => ({
    teamId: team_id,
    // A deleted team's crons stay where they are until retention takes them; they are never due.
    nextDueAt: teams.has(team_id) ? earliest(next_run_at, waiting_since) : null,
  }));
}

function earliest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function claimedExecution(
  { executionId, dueAt, cron }: Started,
  teams: ReadonlyMap<string, TeamRow>,
  sealer: Sealer,
  secrets: SecretReader,
  now: number,
): ClaimedExecution {
  const reader = new PartsReader();
  return {
    kind: 'execution',
    teamId: cron.team_id,
    id: executionId,
    cronId: cron.id,
    method: cron.method,
    url: cron.url,
    headers: reader.readHeaders(sealer, 'crons', cron.sealed_headers),
    payload: reader.readPayload(cron.payload),
    callbackUrl: cron.callback_url,
    timeoutSeconds: cron.timeout_seconds,
    assertions: reader.readAssertions(cron.assertions),
    signingSecret: reader.readSecret(
      secrets,
      teams.get(cron.team_id)?.sealed_signing_secret ?? null,
    ),
    unreadable: reader.unreadable,
    startedAt: now,
    dueAt,
  };
}

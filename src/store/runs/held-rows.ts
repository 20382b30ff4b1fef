import type { Database, Trx } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { StoreError } from '../database/errors.ts';
import { periodsOf } from '../figures/usage.ts';
import { type PreparedStatement, preparedStatement } from '../database/prepared.ts';

const LOCK_TIMEOUT = '55P03';

/** Whether a transaction gave up because another one has locked a row. It has changed nothing. */
export function isHeldUp(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  return (error.cause as { code?: string } | undefined)?.code === LOCK_TIMEOUT;
}

/** The same error for a write that was not tried, because a row of its team was found to be held. */
export function heldUp(): StoreError {
  const cause = { code: LOCK_TIMEOUT };
  return new StoreError('STORE_UNAVAILABLE', 'somebody else holds a row of the team', { cause });
}

/**
 * Does something for each of some rows of several teams. If another transaction has locked a row of a team, the rest of
 * that team's are left for the next time, and those of others continue.
 *
 * @param act one transaction, which begins with `waitBriefly`
 * @param heldTeams the teams with locked rows; they are not tried again
 */
export async function besideHeldTeams<Row extends { team_id: string }>(
  rows: readonly Row[],
  act: (row: Row) => Promise<void>,
  heldTeams = new Set<string>(),
): Promise<void> {
  for (const row of rows) {
    if (heldTeams.has(row.team_id)) continue;
    try {
      await act(row);
    } catch (error) {
      if (!isHeldUp(error)) throw error;
      heldTeams.add(row.team_id);
    }
  }
}

/** Lets a transaction give up soon where it meets a row that another one has locked (`isHeldUp`). */
export async function waitBriefly(trx: Trx): Promise<void> {
  await trx.rows(limitWaits, []);
}

const limitWaits = preparedStatement<never>(
  'wait-briefly',
  ({ briefly }) => `select 1 from (select 1 as one) as given ${briefly}`,
);

/** A flow to claim from: a queue, or a team's crons. Without a team it is tried without checking first. */
export interface HoldableFlow {
  id: string;
  teamId?: string | undefined;
}

const FLOW = { id: 'id' } as const satisfies Fields;

/** Finds flows of which another transaction has locked a row. $1 flows, $2 month, $3 day */
export type FindHeld = PreparedStatement<{ id: string }>;

/**
 * The counters of a team that a claim changes: their name in the statement below, their table, and the condition of the
 * row.
 */
const COUNTERS = [
  ['free_months', 'usage_months', 'month = $2'],
  ['free_days', 'usage_days', 'day = $3'],
] as const;

/**
 * The statement for Postgres that finds the flows for which a claim would have to wait: another transaction has locked
 * a counter of their team, or a row of their own.
 *
 * @param flows  selects `id` and `team_id` of flows from `given.id`
 * @param isHeld  the condition that a row of the flow's own is locked; `freeRows` is the part of the statement that it
 * uses
 */
export function findHeldFlows(
  name: string,
  flows: (given: string) => string,
  { freeRows = '', isHeld = 'false' }: { freeRows?: string; isHeld?: string } = {},
): FindHeld {
  const parts = COUNTERS.map(
    ([part, table, row]) => `, ${part} as materialized (
      select team_id from ${table} where team_id = any(array(select team_id from flows)) and ${row}
      for no key update skip locked
    )`,
  );
  const areHeld = COUNTERS.map(
    ([part, table, row]) => `
    or (exists (select 1 from ${table} where ${table}.team_id = flows.team_id and ${row})
      and flows.team_id not in (select team_id from ${part}))`,
  );
  return preparedStatement(
    name,
    (dialect) => `
    with flows as materialized (${flows(dialect.rows(FLOW, 1))}) ${parts.join('')} ${freeRows}
    select id from flows where ${isHeld} ${areHeld.join('')}`,
  );
}

/** Above this number the teams are forgotten; held ones are found again by trying. */
const MOST_REMEMBERED = 1_000;

/**
 * Claims from several flows on Postgres so that no flow waits for a lock on another one's rows. A claim that meets a
 * lock is repeated without the locked flows. Their teams are remembered, so that the next claims check them first.
 */
export class HeldFlows<Asked> {
  readonly #db: Database;
  readonly #findHeldOf: FindHeld;
  readonly #flowOf: (asked: Asked) => HoldableFlow;
  readonly #teams = new Set<string>();

  constructor(db: Database, findHeldOf: FindHeld, flowOf: (asked: Asked) => HoldableFlow) {
    this.#db = db;
    this.#findHeldOf = findHeldOf;
    this.#flowOf = flowOf;
  }

  /**
   * @param claim  throws an error for which `isHeldUp` is true if it gave up; it has then claimed nothing
   * @returns the claims, and the flows that were skipped because they are held
   */
  async claimBeside<Claim>(
    asked: readonly Asked[],
    now: number,
    claim: (asked: readonly Asked[]) => Promise<Claim>,
  ): Promise<{ claims: Claim[]; held: Asked[] }> {
    const held = await this.#findHeld(
      asked.filter((each) => this.#isSuspect(each)),
      now,
    );
    const others = without(asked, held);
    const first = await this.#tryClaim(others, claim);
    if (first.held.length === 0) return { claims: first.claims, held };
    held.push(...(await this.#findHeld(others, now)));
    const second = await this.#tryClaim(without(others, held), claim);
    const claims = second.claims;
    // The locked row is none of those that were checked, so each flow is tried alone.
    for (const each of second.held) {
      const alone = await this.#tryClaim([each], claim);
      claims.push(...alone.claims);
      held.push(...alone.held);
    }
    return { claims, held };
  }

  /** Tries a claim as a whole; if it meets a lock, `held` are all flows. */
  async #tryClaim<Claim>(
    asked: readonly Asked[],
    claim: (asked: readonly Asked[]) => Promise<Claim>,
  ): Promise<{ claims: Claim[]; held: readonly Asked[] }> {
    if (asked.length === 0) return { claims: [], held: [] };
    try {
      return { claims: [await claim(asked)], held: [] };
    } catch (error) {
      if (!isHeldUp(error)) throw error;
      return { claims: [], held: asked };
    }
  }

  async #findHeld(asked: readonly Asked[], now: number): Promise<Asked[]> {
    if (asked.length === 0) return [];
    const { month, day } = periodsOf(now);
    const ids = asked.map((each) => ({ id: this.#flowOf(each).id }));
    const rows = await this.#db.rows(this.#findHeldOf, [packRows(FLOW, ids), month, day]);
    const heldIds = new Set(rows.map(({ id }) => id));
    const held = asked.filter((each) => heldIds.has(this.#flowOf(each).id));
    this.#remember(asked, held);
    return held;
  }

  #isSuspect(asked: Asked): boolean {
    const { teamId } = this.#flowOf(asked);
    return teamId !== undefined && this.#teams.has(teamId);
  }

  #remember(asked: readonly Asked[], held: readonly Asked[]): void {
    const teamsOf = (some: readonly Asked[]) =>
      some.flatMap((each) => this.#flowOf(each).teamId ?? []);
    for (const teamId of teamsOf(asked)) this.#teams.delete(teamId);
    if (this.#teams.size >= MOST_REMEMBERED) this.#teams.clear();
    for (const teamId of teamsOf(held)) this.#teams.add(teamId);
  }
}

function without<T>(all: readonly T[], some: readonly T[]): readonly T[] {
  return some.length === 0 ? all : all.filter((each) => !some.includes(each));
}

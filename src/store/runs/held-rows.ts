import type { Database } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { StoreError } from '../database/errors.ts';
import { periodsOf } from '../figures/usage.ts';
import { bindPrepared, type PreparedStatement, preparedStatement } from '../database/prepared.ts';

const LOCK_TIMEOUT = '55P03';

/** Whether a transaction gave up because somebody else holds a row. It has changed nothing. */
export function isHeldUp(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  return (error.cause as { code?: string } | undefined)?.code === LOCK_TIMEOUT;
}

/** The same for what was not even tried, because somebody was found to hold a row of it. */
export function heldUp(): StoreError {
  const cause = { code: LOCK_TIMEOUT };
  return new StoreError('STORE_UNAVAILABLE', 'somebody else holds a row of the team', { cause });
}

/** What is claimed from: a queue, or a team's crons. A flow of unknown team is tried before it is looked at. */
export interface HoldableFlow {
  id: string;
  teamId?: string | undefined;
}

const FLOW = { id: 'id' } as const satisfies Fields;
const HOUR_MS = 3_600_000;

/** $1 flows, $2 month, $3 day, $4 hour; gives those of which somebody holds a row. */
export type FindHeld = PreparedStatement<{ id: string }>;

/** Counters of a team that a claim changes: how the statement below calls them, their table, and which row it is. */
const COUNTERS = [
  ['free_months', 'usage_months', 'month = $2'],
  ['free_days', 'usage_days', 'day = $3'],
  ['free_hours', 'outcome_hours', "hour = $4 and outcome = 'failed'"],
] as const;

/**
 * The statement for Postgres that finds the flows a claim would have to wait for: somebody holds a counter of
 * their team, or a row of their own.
 *
 * @param flows  selects `id` and `team_id` of flows from `given.id`
 * @param isHeld  whether a row of the flow's own is held; `freeRows` is the part of the statement that finds out
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

/** Above this they are forgotten, and found again by trying. */
const MOST_REMEMBERED = 1_000;

/**
 * Claims from several flows on Postgres without letting one wait for what somebody holds of another: a claim that
 * is held up is made once more without the flows that are held. Their teams are remembered, so that the next
 * claims look before they try.
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
   * @param claim  throws what `isHeldUp` where it gave up, and has then claimed nothing
   * @returns what the claims gave, and what was left out because it is held
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
    // What is held is none of the rows that were looked at.
    for (const each of second.held) {
      const alone = await this.#tryClaim([each], claim);
      claims.push(...alone.claims);
      held.push(...alone.held);
    }
    return { claims, held };
  }

  /** All or nothing; `held` are all that were asked for where it was held up. */
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
    const rows = await this.#db.autocommit(
      bindPrepared(this.#db.dialect, this.#findHeldOf, [
        packRows(FLOW, ids),
        month,
        day,
        now - (now % HOUR_MS),
      ]),
    );
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

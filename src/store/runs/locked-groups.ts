import { wasLockedOut } from '../database/errors.ts';
import { preparedStatement } from '../database/prepared.ts';
import { IDS, packIds } from '../database/dialect.ts';
import type { Runner } from '../database/runner.ts';
import { monthOf } from '../figures/usage.ts';
import type { Taken } from './claim.ts';
import type { Claim, ClaimedGroup, ClaimedRun, GroupSlots } from './claims.ts';

/**
 * Returns the teams whose count another transaction has locked; none on SQLite, which has one writer. $1 teams, $2 month
 */
const lockMonths = preparedStatement<{ id: string }>('lock-months', ({ $, rows, lock }) => {
  const counts = `select 1 from usage_months c where c.team_id = given.id and c.month = ${$(2)}`;
  return `
  select given.id from ${rows(IDS, 1)}
  where exists (${counts})
    and not exists (select 1 from (${counts} ${lock('for no key update skip locked')}) as locked)`;
});

/** See `lockMonths`. */
export async function findLockedTeams(
  runner: Runner,
  teamIds: readonly string[],
  now: number,
): Promise<ReadonlySet<string>> {
  if (teamIds.length === 0 || runner.dialect.writers === 1) return new Set();
  const locked = await runner.rows(lockMonths, [packIds([...new Set(teamIds)]), monthOf(now)]);
  return new Set(locked.map(({ id }) => id));
}

/** After so many claims in a row the lock is unlikely to be another claim's. */
const SHORT_LOCKS = 3;
/** Above this number all are forgotten, and counted again. */
const MOST_REMEMBERED = 1_000;

export class SkippedGroups {
  readonly #skips = new Map<string, number>();

  async claim<Group, Row, Run extends ClaimedRun>(
    asked: readonly GroupSlots[],
    take: (some: readonly GroupSlots[]) => Promise<Taken<Group, Row>>,
    runsOf: (rows: readonly Row[], groups: ReadonlyMap<string, Group>) => Run[],
  ): Promise<Claim<Run>> {
    const taken = await takeByTeam(asked, take);
    const claimed = taken.flatMap(({ rows, groups }) => runsOf(rows, groups));
    const blocked = taken.reduce((sum, { due, rows }) => sum + due - rows.length, 0);
    const states = taken.flatMap((each) => each.states);
    for (const { id } of states) this.#skips.delete(id);
    if (this.#skips.size > MOST_REMEMBERED) this.#skips.clear();
    const skipped = asked
      .filter(({ id }) => taken.some(({ locked }) => locked.has(id)))
      .map((group) => this.#skip(group));
    return { claimed, blocked, groups: [...states, ...skipped] };
  }

  /** It is tried again from the same time on. */
  #skip({ id, from = 0 }: GroupSlots): ClaimedGroup {
    const skips = (this.#skips.get(id) ?? 0) + 1;
    this.#skips.set(id, skips);
    return { id, nextDueAt: from, blocker: skips > SHORT_LOCKS ? 'locked' : 'nothing' };
  }
}

/**
 * If a row that another transaction has just inserted stops the claim, claims for each team alone, and skips those for
 * which that fails too: such a row can't be seen.
 */
async function takeByTeam<Group, Row>(
  asked: readonly GroupSlots[],
  take: (some: readonly GroupSlots[]) => Promise<Taken<Group, Row>>,
): Promise<Taken<Group, Row>[]> {
  try {
    return [await take(asked)];
  } catch (error) {
    if (!wasLockedOut(error)) throw error;
  }
  const byTeam = [...Map.groupBy(asked, ({ id, teamId = id }) => teamId).values()];
  if (byTeam.length === 1) {
    const locked = new Set(asked.map(({ id }) => id));
    return [{ rows: [], due: 0, groups: new Map(), states: [], locked }];
  }
  const taken: Taken<Group, Row>[] = [];
  for (const ofTeam of byTeam) taken.push(...(await takeByTeam(ofTeam, take)));
  return taken;
}

import type { Clock } from '#domain/clock';
import type { Store } from '#store/store';
import { type Actor, authorize } from './actor.ts';
import type { Plans, Usage } from './plans.ts';

interface Deps {
  store: Store;
  clock: Clock;
  plans: Plans;
}

/** A team's usage of its plan (§8.2). */
export class Billing {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The month's usage. Any member may read it, because all of them see the warnings at 80 % and 100 %. */
  async readUsage(teamId: string): Promise<Usage> {
    const { store, clock, plans } = this.#deps;
    const [team, used] = await Promise.all([
      store.teams.find(teamId),
      store.usage.usedInMonth(teamId, clock.now()),
    ]);
    const plan = team?.plan ?? plans.ofNewTeam;
    return { plan, limit: plans.limitOf(plan), used };
  }

  /** One entry per UTC day of the month so far, oldest first, `day` as `2026-11-21`; for the owner. */
  async listUsageByDay(actor: Actor): Promise<{ day: string; runs: number }[]> {
    const { store, clock } = this.#deps;
    const { teamId } = await authorize(store, actor, 'billing');
    const now = clock.now();
    const rows = await store.usage.usedByDay(teamId, now);
    const usedOn = new Map(rows.map(({ day, used }) => [day, used]));
    const today = new Date(now);
    const month = today.toISOString().slice(0, 8);
    return Array.from({ length: today.getUTCDate() }, (_, index) => {
      const day = `${month}${String(index + 1).padStart(2, '0')}`;
      return { day, runs: usedOn.get(day) ?? 0 };
    });
  }
}

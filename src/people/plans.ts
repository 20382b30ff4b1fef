import { limitOf, type MonthlyLimits } from '#store/figures/usage';

/** The limit counts runs per team and UTC month (§8.2); null: none. */
export interface Plan {
  name: string;
  monthlyLimit: number | null;
}

export interface PlanSettings {
  /** The first is the plan of the first team. */
  plans: readonly Plan[];
  /** One of `plans`. */
  newTeamPlan: string;
}

/** For PLANS that isn't set. */
export const DEFAULT_PLANS: PlanSettings = {
  plans: Object.freeze([
    { name: 'unlimited', monthlyLimit: null },
    { name: 'free', monthlyLimit: 1000 },
  ]),
  newTeamPlan: 'free',
};

/** `limit` null: unlimited. */
export interface Usage {
  plan: string;
  limit: number | null;
  used: number;
}

/** A removed plan gets the limit of new teams. */
export function monthlyLimitsOf({ plans, newTeamPlan }: PlanSettings): MonthlyLimits {
  const byPlan = new Map(plans.map(({ name, monthlyLimit }) => [name, monthlyLimit]));
  return { byPlan, other: byPlan.get(newTeamPlan) ?? null };
}

export class Plans {
  readonly #limits: MonthlyLimits;
  readonly ofFirstTeam: string;
  readonly ofNewTeam: string;

  constructor({ plans, newTeamPlan }: PlanSettings) {
    this.#limits = monthlyLimitsOf({ plans, newTeamPlan });
    this.ofFirstTeam = plans[0]?.name ?? newTeamPlan;
    this.ofNewTeam = newTeamPlan;
  }

  get names(): string[] {
    return [...this.#limits.byPlan.keys()];
  }

  limitOf(plan: string): number | null {
    return limitOf(this.#limits, plan);
  }
}

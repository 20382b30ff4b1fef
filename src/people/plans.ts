import { limitOf, type MonthlyLimits } from '#store/figures/usage';

/** A plan with the name that the operator gave it. The limit counts runs per team and UTC month (§8.2); null: none. */
export interface Plan {
  name: string;
  monthlyLimit: number | null;
}

export interface PlanSettings {
  /** Never empty. The first is the plan of the installation's first team. */
  plans: readonly Plan[];
  /** The plan of every later team; one of `plans`. */
  newTeamPlan: string;
}

/** If PLANS is not set, the operator's own team has no limit, and teams that others make have one. */
export const DEFAULT_PLANS: PlanSettings = {
  plans: Object.freeze([
    { name: 'unlimited', monthlyLimit: null },
    { name: 'free', monthlyLimit: 1000 },
  ]),
  newTeamPlan: 'free',
};

/** A team's runs in this UTC month (§8.2). `limit` null: unlimited. */
export interface Usage {
  plan: string;
  limit: number | null;
  used: number;
}

/** The monthly limits of the plans. A plan that the operator has removed gets the limit of a new team's. */
export function monthlyLimitsOf({ plans, newTeamPlan }: PlanSettings): MonthlyLimits {
  const byPlan = new Map(plans.map(({ name, monthlyLimit }) => [name, monthlyLimit]));
  return { byPlan, other: byPlan.get(newTeamPlan) ?? null };
}

/** The plans that the operator offers, by name. */
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

  /** A plan's monthly limit of runs. Null: no limit. */
  limitOf(plan: string): number | null {
    return limitOf(this.#limits, plan);
  }
}

import { limitOf, type MonthlyLimits } from '#store/figures/usage';
import type { Context } from './context.ts';

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

export function createPlans({ plans, newTeamPlan }: PlanSettings) {
  const byPlan = new Map(plans.map(({ name, monthlyLimit }) => [name, monthlyLimit]));
  /** A removed plan gets the limit of new teams. */
  const limits: MonthlyLimits = { byPlan, other: byPlan.get(newTeamPlan) ?? null };
  return {
    limits,
    names: [...byPlan.keys()],
    ofFirstTeam: plans[0]?.name ?? newTeamPlan,
    ofNewTeam: newTeamPlan,
    limitOf: (plan: string) => limitOf(limits, plan),
  };
}

/** For every member, because all see the warnings at 80 % and 100 %. */
export async function readUsage(context: Context, teamId: string): Promise<Usage> {
  const { store, clock, plans } = context;
  const [team, used] = await Promise.all([
    store.teams.find(teamId),
    store.usage.usedInMonth(teamId, clock.now()),
  ]);
  const plan = team?.plan ?? plans.ofNewTeam;
  return { plan, limit: plans.limitOf(plan), used };
}

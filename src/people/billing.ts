import { type Actor, authorize } from './actor.ts';
import type { Context } from './context.ts';
import type { Usage } from './plans.ts';

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

/** Oldest first, `day` as `2026-11-21`; for the owner. */
export async function listUsageByDay(
  context: Context,
  actor: Actor,
): Promise<{ day: string; runs: number }[]> {
  const { store, clock } = context;
  const { teamId } = await authorize(context, actor, 'billing');
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

import { DAY_MS } from '../base/instant.ts';
import { parseCronExpression } from '../cron/cron.ts';
import type { CronEnd } from '../cron/cron-end.ts';

export interface PlannedCron {
  cronExpression: string;
  createdAt: number;
  nextRunAt: number;
  startsAt: number | null;
  end: CronEnd;
  runsCounted: number;
}

interface Planned {
  crons: readonly PlannedCron[];
  waitingJobs: number;
}

export type Forecast = 'reached' | 'too-early' | 'enough' | { runsOutOn: string };

/**
 * The rest of the month: active crons, waiting jobs, and further jobs at the pace so far. The pace excludes those
 * crons and needs half a day.
 */
export function forecastUsage(
  { used, limit }: { used: number; limit: number },
  { crons, waitingJobs }: Planned,
  now: number,
): Forecast {
  if (used >= limit) return 'reached';
  const date = new Date(now);
  const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const counters = crons.flatMap(readCounter);
  const cronRuns = counters.reduce((sum, { before }) => sum + before(start, now), 0);
  const isEarly = now - start < DAY_MS / 2;
  const pace = isEarly ? 0 : Math.max(0, used - cronRuns) / (now - start);
  const isOver = (at: number) => {
    const planned = counters.reduce((sum, { upcoming }) => sum + upcoming(now, at), waitingJobs);
    return used + planned + pace * (at - now) > limit;
  };
  if (!isOver(end)) return isEarly ? 'too-early' : 'enough';
  const days = listDaysOfMonth(now);
  const endsOver = (day: string) => isOver(Date.parse(day) + DAY_MS);
  const day = days.find((each) => Date.parse(each) + DAY_MS > now && endsOver(each));
  return { runsOutOn: day ?? days.at(-1) ?? '' };
}

function readCounter({
  cronExpression,
  createdAt,
  nextRunAt,
  startsAt,
  end,
  runsCounted,
}: PlannedCron) {
  const schedule = parseCronExpression(cronExpression);
  if (typeof schedule === 'string') return [];
  const { endsAt, maxRuns } = end;
  const before = (start: number, now: number) =>
    schedule.countBetween(Math.min(Math.max(start, createdAt, startsAt ?? 0), now), now);
  const upcoming = (now: number, until: number) => {
    const last = endsAt === null ? until : Math.min(until, endsAt + 1);
    // One run replaces missed times.
    const due = nextRunAt <= now && nextRunAt < last ? 1 : 0;
    const runs = due + schedule.countBetween(Math.max(now + 1, nextRunAt), last);
    return maxRuns === null ? runs : Math.min(runs, maxRuns - runsCounted);
  };
  return [{ before, upcoming }];
}

/** As `2026-11-21`. */
export function listDaysOfMonth(now: number): string[] {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const count = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Array.from({ length: count }, (_, at) =>
    new Date(Date.UTC(year, month, at + 1)).toISOString().slice(0, 10),
  );
}

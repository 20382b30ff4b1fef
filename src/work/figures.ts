import { HOUR_MS } from '#domain/base/instant';
import { addCounts, estimateQuantile } from '#domain/runs/duration-histogram';
import type { DurationHour } from '#store/figures/durations';
import type { Depth } from '#store/figures/depths';
import type { OutcomeHour } from '#store/figures/outcomes';
import { type Outage, sumOutages } from './outages.ts';
import type { DurationStep } from '#domain/base/durations';

/** Nothing here reads the store. */

/** The last one contains the present. */
export interface Steps {
  from: number;
  stepMs: number;
  count: number;
}

/** @param stepMs  whole hours */
export function stepsUntil(now: number, { stepMs, count }: Omit<Steps, 'from'>): Steps {
  return { from: now - (now % stepMs) - (count - 1) * stepMs, stepMs, count };
}

function mapSteps<Step>(
  { from, stepMs, count }: Steps,
  make: (from: number, to: number) => Step,
): Step[] {
  return Array.from({ length: count }, (_, n) => make(from + n * stepMs, from + (n + 1) * stepMs));
}

export type OutcomeStep = ReturnType<typeof countSteps>[number];

export function countSteps(
  hours: readonly OutcomeHour[],
  steps: Steps,
  { outages, now }: { outages: readonly Outage[]; now: number },
) {
  return mapSteps(steps, (from, to) => {
    const over = { from, to: Math.min(to, now) };
    const downMs = sumOutages(outages, over);
    // No engine ran in all of the step that is over.
    const isDown = downMs > 0 && downMs >= over.to - from;
    return Object.assign(sumOutcomes(within(hours, from, to)), { from, to, downMs, isDown });
  });
}

export function countTimed(hours: readonly DurationHour[]): OutcomeHour[] {
  return hours.map(({ hour, outcome, counts }) => {
    return { hour, outcome, runs: counts.reduce((sum, runs) => sum + runs, 0) };
  });
}

export function timeSteps(hours: readonly DurationHour[], steps: Steps): DurationStep[] {
  return mapSteps(steps, (from, to) => {
    const own = within(hours, from, to);
    const runs = countTimed(own);
    const { success, retried, failed } = sumOutcomes(runs);
    const counted = { runs: success + retried + failed, failed: retried + failed };
    return { from, to, ...counted, ...timesOf(own) };
  });
}

export type DepthStep = ReturnType<typeof deepestSteps>[number];

/** Null in a step without a look, zero if nothing waited. */
export function deepestSteps(
  { looks, depths }: { looks: readonly number[]; depths: readonly Depth[] },
  steps: Steps,
) {
  const isIn = (at: number, from: number, to: number) => at >= from && at < to;
  return mapSteps(steps, (from, to) => {
    const hasLook = looks.some((at) => isIn(at, from, to));
    const own = depths.filter(({ at }) => isIn(at, from, to));
    const most = (values: number[]) => (hasLook ? Math.max(0, ...values) : null);
    return {
      from,
      to,
      waiting: most(own.map(({ waiting }) => waiting)),
      /** How long the earliest of them had been due. */
      oldestMs: most(own.map(({ oldestMs }) => oldestMs)),
    };
  });
}

export type PeriodFigures = ReturnType<typeof figuresOf>;

export function figuresOf(
  outcomes: readonly OutcomeHour[],
  durations: readonly DurationHour[],
  { from, now }: { from: number; now: number },
) {
  const own = within(outcomes, from, now + 1);
  const { success, retried, failed } = sumOutcomes(own);
  const runs = success + retried + failed;
  // A younger team is measured from its first run on.
  const since = Math.max(from, Math.min(...own.map(({ hour }) => hour)));
  const hours = Math.max(1, (now - since) / HOUR_MS);
  return {
    successRate: runs === 0 ? null : success / runs,
    runsAnHour: runs === 0 ? null : runs / hours,
    ...timesOf(within(durations, from, now + 1)),
  };
}

function within<Hour extends { hour: number }>(hours: readonly Hour[], from: number, to: number) {
  return hours.filter(({ hour }) => hour >= from && hour < to);
}

export interface Outcomes {
  success: number;
  /** Attempts that failed and were retried. */
  retried: number;
  /** Dead letters, jobs over the monthly limit, failed executions. */
  failed: number;
}

function sumOutcomes(hours: readonly OutcomeHour[]): Outcomes {
  const sum: Outcomes = { success: 0, retried: 0, failed: 0 };
  for (const { outcome, runs } of hours) sum[outcome] += runs;
  return sum;
}

/** The median and 95th percentile, exact to about a tenth. */
function timesOf(hours: readonly DurationHour[]) {
  const counts = addCounts(hours.map((each) => each.counts));
  return { medianMs: estimateQuantile(counts, 0.5), p95Ms: estimateQuantile(counts, 0.95) };
}

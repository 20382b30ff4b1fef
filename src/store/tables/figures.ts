/** Counts of runs and of waiting jobs, for plots, limits and metrics. */
import { bigint, id, instant, integer, oneOf, rowNumber, table, text } from './table.ts';

export const usageMonths = table(
  'usage_months',
  {
    team_id: id(),
    /** `2026-11` */
    month: text(),
    used: bigint(),
    /** How many of the last requested runs were granted: one part of a statement passes this to the next. */
    granted: bigint().default(0),
  },
  { key: ['team_id', 'month'], indexes: { usage_months_by_month: { on: ['month'] } } },
);

export const usageDays = table(
  'usage_days',
  {
    team_id: id(),
    /** `2026-11-21` */
    day: text(),
    used: bigint(),
  },
  { key: ['team_id', 'day'] },
);

/** `failed`: a final failure of any kind; `retried`: a failed attempt with another one to follow. */
const countedOutcome = () => oneOf('success', 'retried', 'failed');

/** Counts of outcomes, so that a plot of a month reads a few hundred rows. */
export const outcomeHours = table(
  'outcome_hours',
  {
    team_id: id(),
    hour: instant(),
    outcome: countedOutcome(),
    runs: bigint(),
  },
  { key: ['team_id', 'hour', 'outcome'], indexes: { outcome_hours_by_hour: { on: ['hour'] } } },
);

export const durationHours = table(
  'duration_hours',
  {
    team_id: id(),
    /** The id of a queue or a cron, or of the team for all its runs. */
    source_id: id(),
    hour: instant(),
    outcome: countedOutcome(),
    /** The step of domain/duration-histogram.ts. */
    step: integer(),
    runs: bigint(),
  },
  {
    key: ['team_id', 'source_id', 'hour', 'outcome', 'step'],
    indexes: { duration_hours_by_hour: { on: ['hour'] } },
  },
);

/**
 * Counts of the runs of a batch that are not added to the other counts yet (figures/batch-counts.ts). Rows are only
 * inserted and deleted; a counter that every batch changes would keep all its versions with an old snapshot.
 */
export const batchCounts = table(
  'batch_counts',
  {
    id: rowNumber(),
    team_id: id(),
    /** Of the team for `started`. */
    source_id: id(),
    hour: instant(),
    /** `started`: runs that were claimed, which count for the team's month. */
    outcome: oneOf('success', 'retried', 'failed', 'started'),
    /** As in `duration_hours`; null for runs that were not sent, and for `started`. */
    step: integer().orNull,
    runs: bigint(),
  },
  { key: ['id'], indexes: { batch_counts_of_source: { on: ['team_id', 'source_id'] } } },
);

/** How many due jobs waited at the times of `depth_looks`; without waiting jobs there is no row (depths.ts). */
export const queueDepths = table(
  'queue_depths',
  {
    team_id: id(),
    /** Of a queue, or of the team. */
    source_id: id(),
    at: instant(),
    waiting: integer(),
    oldest_ms: bigint(),
  },
  { key: ['team_id', 'source_id', 'at'], indexes: { queue_depths_by_time: { on: ['at'] } } },
);

export const depthLooks = table('depth_looks', { at: instant() }, { key: ['at'] });

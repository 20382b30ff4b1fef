import { bigint, id, instant, integer, oneOf, rowNumber, table, text } from './table.ts';

/** Runs of each month. */
export const usageMonths = table(
  'usage_months',
  {
    team_id: id(),
    /** `2026-11` */
    month: text(),
    used: bigint(),
    /** One part of a statement passes it to the next. */
    granted: bigint().default(0),
  },
  { key: ['team_id', 'month'], indexes: { usage_months_by_month: { on: ['month'] } } },
);

/** `failed`: finally; `retried`: another attempt follows. */
const countedOutcome = () => oneOf('success', 'retried', 'failed');

/** A plot of a month reads a few hundred rows. */
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
    /** A queue, a cron, or the team. */
    source_id: id(),
    hour: instant(),
    outcome: countedOutcome(),
    /** domain/runs/duration-histogram.ts */
    step: integer(),
    runs: bigint(),
  },
  {
    key: ['team_id', 'source_id', 'hour', 'outcome', 'step'],
    indexes: { duration_hours_by_hour: { on: ['hour'] } },
  },
);

/** Not added up yet (figures/batch-counts.ts). With an old snapshot, an updated counter would keep all its versions. */
export const batchCounts = table(
  'batch_counts',
  {
    id: rowNumber(),
    team_id: id(),
    /** Of the team for `started`. */
    source_id: id(),
    hour: instant(),
    /** `started`: claimed runs, for the team's month. */
    outcome: oneOf('success', 'retried', 'failed', 'started'),
    /** Null for runs that weren't sent, and for `started`. */
    step: integer().orNull,
    runs: bigint(),
  },
  { key: ['id'], indexes: { batch_counts_of_source: { on: ['team_id', 'source_id'] } } },
);

/** At the times of `depth_looks`; no row without waiting jobs (depths.ts). */
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

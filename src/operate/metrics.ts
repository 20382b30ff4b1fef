import { collectDefaultMetrics, Counter, Histogram, type Metric, Registry } from 'prom-client';
import { readCommit, VERSION } from '#config/version';
import type { Clock } from '#domain/base/clock';
import { FAILURE_REASONS, type FailureReason } from '#domain/judging/failure';
import type { EndedJobStatus } from '#domain/runs/run-status';
import type { EngineObserver } from '#engine/observer';
import type { Backlog, InState, Outbox } from '#store/figures/backlog';
import type { DatabaseSize } from '#store/database/inspection';
import type { OldSnapshot } from '#store/figures/snapshots';
import { growthPerDay } from './database-size.ts';
import { type Figure, throttled, watchFigures } from './figures.ts';

const LATENESS_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60];
const DURATION_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500];
/** However often the metrics are requested. */
const BACKLOG_EVERY_MS = 5_000;
/** It counts all ended runs. */
const SIZE_EVERY_MS = 600_000;

const reasonOf = (outcome: EndedJobStatus, reason: FailureReason | null) =>
  reason ?? (outcome === 'success' ? '' : 'unknown');

/** Runs that the monthly limit stops are counted apart. */
const FAILURES = [...FAILURE_REASONS, 'unknown']
  .flatMap((reason) => [
    { kind: 'job', outcome: 'retried', reason },
    { kind: 'job', outcome: 'dead_lettered', reason },
    { kind: 'execution', outcome: 'failed', reason },
  ])
  .filter(
    ({ outcome, reason }) =>
      reason !== 'limit_exceeded' && (outcome !== 'retried' || reason !== 'worker_failed'),
  );

/** Read at each request. */
interface MetricSources {
  clock: Clock;
  inFlight: () => number;
  readBacklog: (now: number) => Promise<Backlog>;
  readOutbox: (now: number) => Promise<Outbox>;
  ping: () => Promise<void>;
  checkReady: () => Promise<void>;
  /** Null with Postgres. */
  readFreeBytes: () => Promise<number | null>;
  oldSnapshots: () => readonly OldSnapshot[];
  /** Null on SQLite. */
  partitionsAheadMs: (now: number) => Promise<number | null>;
  /** Null: no limit. */
  historyMaxBytes: number | null;
  readSize: (now: number) => Promise<DatabaseSize>;
}

let processMetrics: Registry | null = null;

/** Watching the event loop has a cost, so services in one process share it. */
function collectProcessMetrics(): Registry {
  if (processMetrics === null) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics, prefix: 'belfry_' });
  }
  return processMetrics;
}

export type Metrics = ReturnType<typeof createMetrics>;
type Seen<Event extends keyof EngineObserver> = Parameters<EngineObserver[Event]>[0];

/** See docs/metrics.md. */
export function createMetrics() {
  const registry = new Registry();
  const { accepted, runs, lateness, duration, batches, blocked, ...others } = countersOf(registry);
  const { callbacks, notifications, leasesLost, databaseErrors } = others;
  const ofProcess = collectProcessMetrics();
  for (const { name } of ofProcess.getMetricsAsArray()) {
    registry.registerMetric(ofProcess.getSingleMetric(name) as Metric);
  }
  // Read once: a checkout can change under the running process.
  const build = { version: VERSION, commit: readCommit() ?? '' };
  watchFigures(registry, () => 1, [
    {
      name: 'belfry_build_info',
      help: 'Always 1; the labels are the running version and commit',
      labelNames: ['version', 'commit'],
      valueOf: (one) => [[build, one]],
    },
  ]);
  return {
    registry,
    jobAccepted: () => accepted.inc({ kind: 'job' }),
    cronAccepted: () => accepted.inc({ kind: 'cron' }),
    batchWritten: (of: 'accept' | 'settle', size: number) => batches[of].observe(size),
    databaseFailed: (code: string) => databaseErrors.inc({ code }),
    runStarted: (kind: 'job' | 'execution', latenessMs: number) =>
      lateness[kind].observe(Math.max(0, latenessMs) / 1000),
    runEnded: ({ kind, outcome, reason, durationMs }: Seen<'runEnded'>) => {
      duration[kind].observe(durationMs / 1000);
      runs.inc({ kind, outcome, reason: reasonOf(outcome, reason) });
    },
    runsCutOff: ({ jobs, executions }: Seen<'runsCutOff'>) => {
      const reason = 'worker_failed';
      runs.inc({ kind: 'job', outcome: 'dead_lettered', reason }, jobs);
      runs.inc({ kind: 'execution', outcome: 'failed', reason }, executions);
    },
    callbackSent: () => callbacks.inc(),
    leaseLost: () => leasesLost.inc(),
    notificationSent: (channel: string) => notifications.inc({ channel, outcome: 'sent' }),
    notificationFailed: (channel: string) => notifications.inc({ channel, outcome: 'failed' }),
    claimed: (claimed: number, overLimit: number) => {
      if (claimed > 0) batches.claim.observe(claimed);
      if (overLimit > 0) blocked.inc(overLimit);
    },
  };
}

/** On the hot path, so children of labelled metrics are created once. */
function countersOf(registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `belfry_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string, label: string, buckets: number[]) =>
    new Histogram({ name: `belfry_${name}`, help, labelNames: [label], buckets, registers });
  const ofEachKind = (name: string, help: string, buckets: number[]) => {
    const all = histogram(name, help, 'kind', buckets);
    return { job: all.labels('job'), execution: all.labels('execution') };
  };
  const sizes = histogram(
    'batch_size',
    'How many share a commit, by what it does: jobs accepted, runs claimed, outcomes settled',
    'of',
    BATCH_SIZES,
  );
  const labels = ['kind', 'outcome', 'reason'];
  const runs = counter(
    'runs_total',
    'Runs that ended, by kind, outcome and failure reason',
    labels,
  );
  const accepted = counter('accepted_total', 'Jobs and crons accepted', ['kind']);
  // A series that begins with its first event shows no increase then.
  for (const kind of ['job', 'cron']) accepted.inc({ kind }, 0);
  for (const kind of ['job', 'execution']) runs.inc({ kind, outcome: 'success', reason: '' }, 0);
  for (const failure of FAILURES) runs.inc(failure, 0);
  return {
    accepted,
    runs,
    notifications: counter(
      'notifications_total',
      'Mails and posts about alerts, by channel and outcome; a failed one is tried again for an hour',
      ['channel', 'outcome'],
    ),
    lateness: ofEachKind(
      'lateness_seconds',
      'From the time a run was due to its start',
      LATENESS_SECONDS,
    ),
    duration: ofEachKind(
      'run_duration_seconds',
      'How long the exchange with the target took',
      DURATION_SECONDS,
    ),
    batches: {
      accept: sizes.labels('accept'),
      claim: sizes.labels('claim'),
      settle: sizes.labels('settle'),
    },
    blocked: counter('limit_exceeded_total', 'Runs that failed because the month was used up'),
    callbacks: counter('callbacks_sent_total', 'Callbacks sent, whatever came of them'),
    leasesLost: counter(
      'leases_lost_total',
      'How often others have declared this process dead while it was alive',
    ),
    databaseErrors: counter('database_errors_total', 'Faults of the database, by code', ['code']),
  };
}

export function watchService(registry: Registry, sources: MetricSources): void {
  const { clock, historyMaxBytes, readFreeBytes } = sources;
  const often = <Found>(read: (now: number) => Promise<Found>) =>
    throttled(clock, read, BACKLOG_EVERY_MS);
  const watch = <Found>(
    look: () => Found | null | Promise<Found | null>,
    ...figures: Figure<Found>[]
  ) => watchFigures(registry, look, figures);
  watch(sources.inFlight, {
    name: 'belfry_in_flight',
    help: 'Requests under way in this process',
    valueOf: (requests) => requests,
  });
  watch(sources.oldSnapshots, {
    name: 'belfry_old_snapshot_seconds',
    help: 'Age of the oldest snapshot of the database, from ten minutes on',
    labelNames: ['held_by'],
    valueOf: (old) => old.map(({ holder, seconds }) => [{ held_by: holder }, seconds]),
  });
  watch(often(sources.partitionsAheadMs), {
    name: 'belfry_partitions_ahead_seconds',
    help: 'For how long jobs that end will find a partition of the history; 0 where there is none for now',
    valueOf: (aheadMs) => aheadMs && aheadMs / 1000,
  });
  watch(throttled(clock, sources.readSize, SIZE_EVERY_MS), ...SIZES);
  watch(() => historyMaxBytes, {
    name: 'belfry_history_max_bytes',
    help: 'HISTORY_MAX_MB: with more, the oldest ended runs are deleted',
    valueOf: (bytes) => bytes,
  });
  watch(often(sources.readBacklog), ...BACKLOG);
  watch(often(sources.readOutbox), ...OUTBOX);
  const look = often(() => sources.checkReady().then(() => 1));
  watch(async () => (await look()) ?? 0, {
    name: 'belfry_ready',
    help: 'Whether the database answers and takes writes: 1 or 0',
    valueOf: (isReady) => isReady,
  });
  // One query measures availability and response time.
  const ask = async () => {
    const askedAtMs = clock.monotonicMs();
    await sources.ping();
    return (clock.monotonicMs() - askedAtMs) / 1000;
  };
  watch(often(ask), {
    name: 'belfry_database_answer_seconds',
    help: 'How long the database took for the smallest question',
    valueOf: (seconds) => seconds,
  });
  watch(() => readFreeBytes().catch(() => null), {
    name: 'belfry_disk_free_bytes',
    help: 'What is free on the disk of the SQLite file',
    valueOf: (bytes) => bytes,
  });
}

const SIZES: Figure<DatabaseSize>[] = [
  {
    name: 'belfry_database_used_bytes',
    help: 'Space of the database in use, without that of deleted rows',
    valueOf: ({ usedBytes }) => usedBytes,
  },
  {
    name: 'belfry_database_growth_bytes_per_day',
    help: 'What the runs of a day of the last week need; missing with fewer than 1,000 runs',
    valueOf: growthPerDay,
  },
];

type States = Readonly<Record<string, InState>> | Backlog | Outbox;

/** Of each state, how many there are and the age of the oldest. */
function countAndAge(
  label: string,
  count: Pick<Figure<States>, 'name' | 'help'>,
  age: Pick<Figure<States>, 'name' | 'help'>,
): Figure<States>[] {
  const per = (valueOf: (found: InState) => number) => ({
    labelNames: [label],
    valueOf: (states: States) =>
      Object.entries(states).map(([state, found]) => [{ [label]: state }, valueOf(found)] as const),
  });
  return [
    { ...count, ...per((found) => found.count) },
    { ...age, ...per(({ oldestMs }) => oldestMs / 1000) },
  ];
}

const BACKLOG = countAndAge(
  'state',
  { name: 'belfry_jobs', help: 'Jobs that are not finished, by state' },
  {
    name: 'belfry_oldest_job_seconds',
    help: 'For how long the oldest of them has been due or under way; 0 where there is none',
  },
);

const OUTBOX = countAndAge(
  'of',
  { name: 'belfry_undelivered', help: 'Callbacks and notifications that wait to be sent' },
  {
    name: 'belfry_oldest_undelivered_seconds',
    help: 'For how long the oldest callback has waited, or a notification has been tried',
  },
);

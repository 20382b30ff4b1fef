import { collectDefaultMetrics, Counter, Histogram, type Metric, Registry } from 'prom-client';
import type { NotificationObserver } from '#alerts/sending';
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

/** See docs/metrics.md. On the hot path, so children of labelled metrics are created once. */
export class Metrics implements EngineObserver, NotificationObserver {
  readonly registry = new Registry();
  readonly #notifications = this.#counter(
    'belfry_notifications_total',
    'Mails and posts about alerts, by channel and outcome; a failed one is tried again for an hour',
    ['channel', 'outcome'],
  );
  readonly #accepted = this.#counter('belfry_accepted_total', 'Jobs and crons accepted', ['kind']);
  readonly #outcomes = this.#counter(
    'belfry_runs_total',
    'Runs that ended, by kind, outcome and failure reason',
    ['kind', 'outcome', 'reason'],
  );
  readonly #lateness = this.#ofEachKind(
    'belfry_lateness_seconds',
    'From the time a run was due to its start',
    LATENESS_SECONDS,
  );
  readonly #duration = this.#ofEachKind(
    'belfry_run_duration_seconds',
    'How long the exchange with the target took',
    DURATION_SECONDS,
  );
  readonly #batches = batchSizes(this.registry);
  readonly #blocked = this.#counter(
    'belfry_limit_exceeded_total',
    'Runs that failed because the month was used up',
  );
  readonly #callbacks = this.#counter(
    'belfry_callbacks_sent_total',
    'Callbacks sent, whatever came of them',
  );
  readonly #leasesLost = this.#counter(
    'belfry_leases_lost_total',
    'How often others have declared this process dead while it was alive',
  );
  readonly #databaseErrors = this.#counter(
    'belfry_database_errors_total',
    'Faults of the database, by code',
    ['code'],
  );

  constructor() {
    // Read once: a checkout can change under the running process.
    const build = { version: VERSION, commit: readCommit() ?? '' };
    this.#watch(() => 1, {
      name: 'belfry_build_info',
      help: 'Always 1; the labels are the running version and commit',
      labelNames: ['version', 'commit'],
      valueOf: (one) => [[build, one]],
    });
    const ofProcess = collectProcessMetrics();
    for (const { name } of ofProcess.getMetricsAsArray()) {
      this.registry.registerMetric(ofProcess.getSingleMetric(name) as Metric);
    }
    this.#beginAtZero();
  }

  /** A series that begins with its first event shows no increase then. */
  #beginAtZero(): void {
    for (const kind of ['job', 'cron']) this.#accepted.inc({ kind }, 0);
    for (const kind of ['job', 'execution']) {
      this.#outcomes.inc({ kind, outcome: 'success', reason: '' }, 0);
    }
    for (const labels of FAILURES) this.#outcomes.inc(labels, 0);
  }

  watch(sources: MetricSources): void {
    const { clock } = sources;
    const often = <Found>(read: (now: number) => Promise<Found>) =>
      throttled(clock, read, BACKLOG_EVERY_MS);
    this.#watch(sources.inFlight, {
      name: 'belfry_in_flight',
      help: 'Requests under way in this process',
      valueOf: (requests) => requests,
    });
    this.#watch(sources.oldSnapshots, {
      name: 'belfry_old_snapshot_seconds',
      help: 'Age of the oldest snapshot of the database, from ten minutes on',
      labelNames: ['held_by'],
      valueOf: (old) => old.map(({ holder, seconds }) => [{ held_by: holder }, seconds]),
    });
    this.#watch(often(sources.partitionsAheadMs), {
      name: 'belfry_partitions_ahead_seconds',
      help: 'For how long jobs that end will find a partition of the history; 0 where there is none for now',
      valueOf: (aheadMs) => aheadMs && aheadMs / 1000,
    });
    this.#watchSize(sources);
    this.#watch(
      often(sources.readBacklog),
      countsPer('state', 'belfry_jobs', 'Jobs that are not finished, by state'),
      agesPer(
        'state',
        'belfry_oldest_job_seconds',
        'For how long the oldest of them has been due or under way; 0 where there is none',
      ),
    );
    this.#watch(
      often(sources.readOutbox),
      countsPer('of', 'belfry_undelivered', 'Callbacks and notifications that wait to be sent'),
      agesPer(
        'of',
        'belfry_oldest_undelivered_seconds',
        'For how long the oldest callback has waited, or a notification has been tried',
      ),
    );
    this.#watchDatabase(sources);
  }

  jobAccepted(): void {
    this.#accepted.inc({ kind: 'job' });
  }

  cronAccepted(): void {
    this.#accepted.inc({ kind: 'cron' });
  }

  batchWritten(of: 'accept' | 'settle', size: number): void {
    this.#batches[of].observe(size);
  }

  databaseFailed(code: string): void {
    this.#databaseErrors.inc({ code });
  }

  runStarted(kind: 'job' | 'execution', latenessMs: number): void {
    this.#lateness[kind].observe(Math.max(0, latenessMs) / 1000);
  }

  runEnded({ kind, outcome, reason, durationMs }: Parameters<EngineObserver['runEnded']>[0]): void {
    this.#duration[kind].observe(durationMs / 1000);
    this.#outcomes.inc({ kind, outcome, reason: reasonOf(outcome, reason) });
  }

  runsCutOff({ jobs, executions }: Parameters<EngineObserver['runsCutOff']>[0]): void {
    const reason = 'worker_failed';
    this.#outcomes.inc({ kind: 'job', outcome: 'dead_lettered', reason }, jobs);
    this.#outcomes.inc({ kind: 'execution', outcome: 'failed', reason }, executions);
  }

  callbackSent(): void {
    this.#callbacks.inc();
  }

  leaseLost(): void {
    this.#leasesLost.inc();
  }

  notificationSent(channel: string): void {
    this.#notifications.inc({ channel, outcome: 'sent' });
  }

  notificationFailed(channel: string): void {
    this.#notifications.inc({ channel, outcome: 'failed' });
  }

  claimed(claimed: number, blocked: number): void {
    if (claimed > 0) this.#batches.claim.observe(claimed);
    if (blocked > 0) this.#blocked.inc(blocked);
  }

  #watchSize({ clock, readSize, historyMaxBytes }: MetricSources): void {
    this.#watch(
      throttled(clock, readSize, SIZE_EVERY_MS),
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
    );
    this.#watch(() => historyMaxBytes, {
      name: 'belfry_history_max_bytes',
      help: 'HISTORY_MAX_MB: with more, the oldest ended runs are deleted',
      valueOf: (bytes) => bytes,
    });
  }

  /** One query measures availability and response time. */
  #watchDatabase({ clock, ping, checkReady, readFreeBytes }: MetricSources): void {
    const look = throttled(clock, () => checkReady().then(() => 1), BACKLOG_EVERY_MS);
    this.#watch(async () => (await look()) ?? 0, {
      name: 'belfry_ready',
      help: 'Whether the database answers and takes writes: 1 or 0',
      valueOf: (isReady) => isReady,
    });
    const ask = async () => {
      const askedAtMs = clock.monotonicMs();
      await ping();
      return (clock.monotonicMs() - askedAtMs) / 1000;
    };
    this.#watch(throttled(clock, ask, BACKLOG_EVERY_MS), {
      name: 'belfry_database_answer_seconds',
      help: 'How long the database took for the smallest question',
      valueOf: (seconds) => seconds,
    });
    this.#watch(() => readFreeBytes().catch(() => null), {
      name: 'belfry_disk_free_bytes',
      help: 'What is free on the disk of the SQLite file',
      valueOf: (bytes) => bytes,
    });
  }

  #watch<Found>(
    look: () => Found | null | Promise<Found | null>,
    ...figures: Figure<Found>[]
  ): void {
    watchFigures(this.registry, look, figures);
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[] = []) {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #ofEachKind(name: string, help: string, buckets: number[]) {
    const registers = [this.registry];
    const histogram = new Histogram({ name, help, labelNames: ['kind'], buckets, registers });
    return { job: histogram.labels('job'), execution: histogram.labels('execution') };
  }
}

type States = Readonly<Record<string, InState>> | Backlog | Outbox;

function per(
  label: string,
  valueOf: (found: InState) => number,
  named: Pick<Figure<States>, 'name' | 'help'>,
): Figure<States> {
  return {
    ...named,
    labelNames: [label],
    valueOf: (states) =>
      Object.entries(states).map(([state, found]) => [{ [label]: state }, valueOf(found)]),
  };
}

const countsPer = (label: string, name: string, help: string) =>
  per(label, ({ count }) => count, { name, help });
const agesPer = (label: string, name: string, help: string) =>
  per(label, ({ oldestMs }) => oldestMs / 1000, { name, help });

function batchSizes(registry: Registry) {
  const sizes = new Histogram({
    name: 'belfry_batch_size',
    help: 'How many share a commit, by what it does: jobs accepted, runs claimed, outcomes settled',
    labelNames: ['of'],
    buckets: BATCH_SIZES,
    registers: [registry],
  });
  const of = (what: string) => sizes.labels(what);
  return { accept: of('accept'), claim: of('claim'), settle: of('settle') };
}

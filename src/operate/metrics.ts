import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { NotificationObserver } from '#alerts/sending';
import { readCommit, VERSION } from '#config/version';
import type { Clock } from '#domain/clock';
import { FAILURE_REASONS, type FailureReason } from '#domain/failure';
import type { EngineObserver, RunOutcome } from '#engine/observer';
import type { Backlog, InState, Outbox } from '#store/figures/backlog';
import type { DatabaseSize } from '#store/database/inspection';
import type { OldSnapshot } from '#store/figures/snapshots';
import { growthPerDay } from './database-size.ts';
import { throttled } from './throttled.ts';

const LATENESS_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60];
const DURATION_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500];
/** However often the metrics are requested. */
const BACKLOG_EVERY_MS = 5_000;
/** It counts all ended runs. */
const SIZE_EVERY_MS = 600_000;

const reasonOf = (outcome: RunOutcome, reason: FailureReason | null) =>
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
  inFlight(): number;
  readBacklog(now: number): Promise<Backlog>;
  readOutbox(now: number): Promise<Outbox>;
  ping(): Promise<void>;
  checkReady(): Promise<void>;
  /** Null with Postgres. */
  readFreeBytes(): Promise<number | null>;
  oldSnapshots(): readonly OldSnapshot[];
  /** Null on SQLite. */
  partitionsAheadMs(now: number): Promise<number | null>;
  /** Null: no limit. */
  historyMaxBytes: number | null;
  readSize(now: number): Promise<DatabaseSize>;
}

/** See docs/metrics.md. On the hot path, so children of labelled metrics are created once. */
export class Metrics implements EngineObserver, NotificationObserver {
  readonly registry = new Registry();
  readonly #notifications = new Counter({
    name: 'belfry_notifications_total',
    help: 'Mails and posts about alerts, by channel and outcome; a failed one is tried again for an hour',
    labelNames: ['channel', 'outcome'],
    registers: [this.registry],
  });
  readonly #accepted;
  readonly #outcomes;
  readonly #lateness;
  readonly #duration;
  readonly #batches = batchSizes(this.registry);
  readonly #blocked;
  readonly #callbacks;
  readonly #databaseErrors;
  readonly #leasesLost;

  constructor() {
    const registers = [this.registry];
    describeBuild(this.registry);
    collectDefaultMetrics({ register: this.registry, prefix: 'belfry_' });
    this.#accepted = new Counter({
      name: 'belfry_accepted_total',
      help: 'Jobs and crons accepted',
      labelNames: ['kind'],
      registers,
    });
    this.#outcomes = new Counter({
      name: 'belfry_runs_total',
      help: 'Runs that ended, by kind, outcome and failure reason',
      labelNames: ['kind', 'outcome', 'reason'],
      registers,
    });
    this.#beginAtZero();
    this.#lateness = childrenOf(
      new Histogram({
        name: 'belfry_lateness_seconds',
        help: 'From the time a run was due to its start',
        labelNames: ['kind'],
        buckets: LATENESS_SECONDS,
        registers,
      }),
    );
    this.#duration = childrenOf(
      new Histogram({
        name: 'belfry_run_duration_seconds',
        help: 'How long the exchange with the target took',
        labelNames: ['kind'],
        buckets: DURATION_SECONDS,
        registers,
      }),
    );
    this.#blocked = new Counter({
      name: 'belfry_limit_exceeded_total',
      help: 'Runs that failed because the month was used up',
      registers,
    });
    this.#callbacks = new Counter({
      name: 'belfry_callbacks_sent_total',
      help: 'Callbacks sent, whatever came of them',
      registers,
    });
    this.#leasesLost = new Counter({
      name: 'belfry_leases_lost_total',
      help: 'How often others have declared this process dead while it was alive',
      registers,
    });
    this.#databaseErrors = new Counter({
      name: 'belfry_database_errors_total',
      help: 'Faults of the database, by code',
      labelNames: ['code'],
      registers,
    });
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
    this.#gauge('belfry_in_flight', 'Requests under way in this process', [], (gauge) =>
      gauge.set(sources.inFlight()),
    );
    this.#gauge(
      'belfry_old_snapshot_seconds',
      'Age of the oldest snapshot of the database, from ten minutes on',
      ['held_by'],
      (gauge) => {
        gauge.reset();
        for (const { holder, seconds } of sources.oldSnapshots()) {
          gauge.set({ held_by: holder }, seconds);
        }
      },
    );
    this.#watchPartitions(sources);
    this.#watchSize(sources);
    this.#watchBacklog(sources);
    this.#watchOutbox(sources);
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

  #watchPartitions(sources: MetricSources): void {
    const { clock } = sources;
    const read = throttled(clock, () => sources.partitionsAheadMs(clock.now()), BACKLOG_EVERY_MS);
    this.#gauge(
      'belfry_partitions_ahead_seconds',
      'For how long jobs that end will find a partition of the history; 0 where there is none for now',
      [],
      async (gauge) => {
        const aheadMs = await read();
        if (aheadMs === null) gauge.remove();
        else gauge.set(aheadMs / 1000);
      },
    );
  }

  #watchSize(sources: MetricSources): void {
    const { clock, historyMaxBytes } = sources;
    const read = throttled(clock, () => sources.readSize(clock.now()), SIZE_EVERY_MS);
    const watch = (name: string, help: string, valueOf: (size: DatabaseSize) => number | null) =>
      this.#gauge(name, help, [], async (gauge) => {
        const size = await read();
        const value = size && valueOf(size);
        if (value === null) gauge.remove();
        else gauge.set(value);
      });
    watch(
      'belfry_database_used_bytes',
      'Space of the database in use, without that of deleted rows',
      ({ usedBytes }) => usedBytes,
    );
    watch(
      'belfry_database_growth_bytes_per_day',
      'What the runs of a day of the last week need; missing with fewer than 1,000 runs',
      growthPerDay,
    );
    if (historyMaxBytes === null) return;
    const help = 'HISTORY_MAX_MB: with more, the oldest ended runs are deleted';
    this.#gauge('belfry_history_max_bytes', help, [], (gauge) => gauge.set(historyMaxBytes));
  }

  #watchBacklog(sources: MetricSources): void {
    const { clock } = sources;
    const read = throttled(clock, () => sources.readBacklog(clock.now()), BACKLOG_EVERY_MS);
    const watch = (name: string, help: string, valueOf: (found: InState) => number) =>
      this.#gauge(name, help, ['state'], async (gauge) => {
        const backlog = await read();
        gauge.reset();
        for (const [state, found] of Object.entries(backlog ?? {})) {
          gauge.set({ state }, valueOf(found));
        }
      });
    watch('belfry_jobs', 'Jobs that are not finished, by state', ({ count }) => count);
    const oldestHelp =
      'For how long the oldest of them has been due or under way; 0 where there is none';
    watch('belfry_oldest_job_seconds', oldestHelp, ({ oldestMs }) => oldestMs / 1000);
  }

  #watchOutbox(sources: MetricSources): void {
    const { clock } = sources;
    const read = throttled(clock, () => sources.readOutbox(clock.now()), BACKLOG_EVERY_MS);
    const watch = (name: string, help: string, valueOf: (found: InState) => number) =>
      this.#gauge(name, help, ['of'], async (gauge) => {
        const outbox = await read();
        gauge.reset();
        for (const [of, found] of Object.entries(outbox ?? {})) gauge.set({ of }, valueOf(found));
      });
    watch(
      'belfry_undelivered',
      'Callbacks and notifications that wait to be sent',
      ({ count }) => count,
    );
    const oldestHelp =
      'For how long the oldest callback has waited, or a notification has been tried';
    watch('belfry_oldest_undelivered_seconds', oldestHelp, ({ oldestMs }) => oldestMs / 1000);
  }

  /** One query measures availability and response time. */
  #watchDatabase(sources: MetricSources): void {
    const { clock } = sources;
    const ask = async () => {
      const askedAtMs = clock.monotonicMs();
      await sources.ping();
      return (clock.monotonicMs() - askedAtMs) / 1000;
    };
    const look = throttled(clock, ask, BACKLOG_EVERY_MS);
    const checkReady = async () => {
      await sources.checkReady();
      return true;
    };
    const isReady = throttled(clock, checkReady, BACKLOG_EVERY_MS);
    const readyHelp = 'Whether the database answers and takes writes: 1 or 0';
    this.#gauge('belfry_ready', readyHelp, [], async (gauge) =>
      gauge.set((await isReady()) === null ? 0 : 1),
    );
    const slowHelp = 'How long the database took for the smallest question';
    this.#gauge('belfry_database_answer_seconds', slowHelp, [], async (gauge) => {
      const seconds = await look();
      if (seconds === null) gauge.remove();
      else gauge.set(seconds);
    });
    const diskHelp = 'What is free on the disk of the SQLite file';
    this.#gauge('belfry_disk_free_bytes', diskHelp, [], async (gauge) => {
      const bytes = await sources.readFreeBytes().catch(() => null);
      if (bytes === null) gauge.remove();
      else gauge.set(bytes);
    });
  }

  #gauge(
    name: string,
    help: string,
    labelNames: string[],
    read: (gauge: Gauge) => void | Promise<void>,
  ): void {
    const registers = [this.registry];
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect: () => read(gauge),
    });
  }
}

function childrenOf(histogram: Histogram<'kind'>) {
  return { job: histogram.labels('job'), execution: histogram.labels('execution') };
}

function describeBuild(registry: Registry): void {
  const gauge = new Gauge({
    name: 'belfry_build_info',
    help: 'Always 1; the labels are the running version and commit',
    labelNames: ['version', 'commit'],
    registers: [registry],
  });
  gauge.set({ version: VERSION, commit: readCommit() ?? '' }, 1);
}

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

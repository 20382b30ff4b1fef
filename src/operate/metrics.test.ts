import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Backlog } from '#store/figures/backlog';
import type { EachSource } from '#store/figures/source-figures';
import { createMetrics, type Metrics, watchService } from './metrics.ts';
import { watchSources } from './source-metrics.ts';

const PAGE = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');

async function namesOf(metrics: Metrics): Promise<string[]> {
  const all = await metrics.registry.getMetricsAsJSON();
  return all.map(({ name }) => name).toSorted();
}

const NONE = { count: 0, oldestMs: 0 };
const BACKLOG = { due: NONE, paused: NONE, scheduled: NONE, processing: NONE };

const RUNS = { success: 7, retried: 2, failed: 1 };
const FIGURES = {
  id: '1',
  team: 'Northwind',
  lastSuccessAt: 5_000,
  failing: 3,
  oldestDueMs: 250,
  runs: RUNS,
};
const SOURCES: EachSource = {
  crons: [{ ...FIGURES, name: 'the "night"\nof \\ days' }],
  queues: [{ ...FIGURES, name: 'emails', lastSuccessAt: null }],
  teams: [
    { id: '8', name: 'Northwind', plan: 'free', usedInMonth: 12, runs: RUNS },
    { id: '9', name: 'Southwind', plan: 'unlimited', usedInMonth: 1, runs: RUNS },
  ],
  leftOut: { crons: 4, queues: 0, teams: 0 },
};
const monthlyLimitOf = (plan: string) => (plan === 'free' ? 1000 : null);

const SIZE = { bytes: 9_000_000, usedBytes: 8_000_000, endedRuns: 4_000, runsOfWeek: 700 };

interface Given {
  readBacklog?: () => Promise<Backlog>;
  readSources?: () => Promise<EachSource>;
  historyMaxBytes?: number | null;
}

function watched({
  readBacklog = () => Promise.resolve(BACKLOG),
  readSources = () => Promise.resolve(SOURCES),
  historyMaxBytes = 10_485_760,
}: Given = {}): Metrics {
  const clock = { now: () => 0, monotonicMs: () => 0, after: () => () => {}, at: () => () => {} };
  const metrics = createMetrics();
  watchService(metrics.registry, {
    clock,
    inFlight: () => 0,
    readBacklog,
    readOutbox: () => Promise.resolve({ callbacks: NONE, notifications: NONE }),
    ping: () => Promise.resolve(),
    checkReady: () => Promise.resolve(),
    readFreeBytes: () => Promise.resolve(5_000_000_000),
    oldSnapshots: () => [{ holder: 'connection 1 of postgres (psql)', seconds: 700 }],
    partitionsAheadMs: () => Promise.resolve(5_000),
    historyMaxBytes,
    readSize: () => Promise.resolve(SIZE),
  });
  watchSources(metrics.registry, { clock, read: readSources, monthlyLimitOf });
  return metrics;
}

test('docs/metrics.md explains every figure of the page, and mentions none that is not there', async () => {
  const all = await namesOf(watched());
  const names = all.filter((name) => !/^belfry_(process|nodejs)_/.test(name));
  const explained = [...PAGE.matchAll(/^\| `(belfry_\w+)`/gm)].map(([, name]) => name ?? '');
  assert.deepEqual(new Set(explained), new Set(names));
  const mentioned = [...PAGE.matchAll(/belfry_\w+[a-z]/g)].map(([name]) => name);
  // Those that any Node program has are explained as a group.
  const known = new Set([...all, 'belfry_process', 'belfry_nodejs']);
  assert.deepEqual(
    mentioned.filter((name) => !known.has(name.replace(/_bucket$/, ''))),
    [],
  );
});

test('docs/metrics.md names the labels of each figure, and no others', async () => {
  const { registry } = watched();
  const rows = [...PAGE.matchAll(/^\| `(belfry_\w+)` +\|[^|]*\|([^|]*)\|/gm)];
  assert.ok(rows.length > 5);
  for (const [, name = '', labels = ''] of rows) {
    const explained = [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label);
    const metric = registry.getSingleMetric(name) as unknown as { labelNames: string[] };
    assert.deepEqual(new Set(explained), new Set(metric.labelNames), name);
  }
});

test('the size of the database has a limit only if the operator set one', async () => {
  const linesOf = async (historyMaxBytes: number | null) => {
    const text = await watched({ historyMaxBytes }).registry.metrics();
    return text.match(/^belfry_(?:database_[ug]|history_).*$/gm);
  };
  const size = [
    'belfry_database_used_bytes 8000000',
    'belfry_database_growth_bytes_per_day 200000',
  ];
  assert.deepEqual(await linesOf(null), size);
  assert.deepEqual(await linesOf(10_485_760), [...size, 'belfry_history_max_bytes 10485760']);
});

test('the version and the commit are labels of belfry_build_info', async () => {
  const [line] = await seriesOf(watched(), 'belfry_build_info');
  assert.match(line ?? '', /^belfry_build_info\{version="\d+\.\d+\.\d+",commit="[0-9a-f]*"\} 1$/);
});

test('series of runs begin at 0, so that their first failure is an increase', async () => {
  const metrics = watched();
  const before = await seriesOf(metrics, 'belfry_runs_total');
  assert.ok(before.length > 20);
  assert.ok(before.every((line) => line.endsWith(' 0')));
  metrics.runsCutOff({ jobs: 2, executions: 1 });
  const job = { kind: 'job', outcome: 'dead_lettered', durationMs: 1 } as const;
  for (const reason of ['timeout', null] as const) metrics.runEnded({ ...job, reason });
  const after = await seriesOf(metrics, 'belfry_runs_total');
  assert.equal(after.length, before.length, 'no further series');
  const cutOff = 'reason="worker_failed"}';
  assert.deepEqual(
    after.filter((line) => line.includes(cutOff) && !line.endsWith(' 0')),
    [
      `belfry_runs_total{kind="job",outcome="dead_lettered",${cutOff} 2`,
      `belfry_runs_total{kind="execution",outcome="failed",${cutOff} 1`,
    ],
  );
});

test('faults of the database are counted by their code', async () => {
  const metrics = watched();
  metrics.databaseFailed('STORE_UNAVAILABLE');
  const name = 'belfry_database_errors_total';
  assert.deepEqual(await seriesOf(metrics, name), [`${name}{code="STORE_UNAVAILABLE"} 1`]);
});

/** The series of all metrics whose names begin with `name`. */
async function seriesOf(metrics: Metrics, name: string): Promise<string[]> {
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => line.startsWith(name));
}

test('a cron, a queue and a team have their names and id, written so that they stay one label each', async () => {
  const cron = String.raw`team="Northwind",cron="the \"night\"\nof \\ days",id="1"`;
  assert.deepEqual(await seriesOf(watched(), 'belfry_cron_'), [
    `belfry_cron_last_success_timestamp_seconds{${cron}} 5`,
    `belfry_cron_failing_runs{${cron}} 3`,
    `belfry_cron_oldest_due_seconds{${cron}} 0.25`,
    `belfry_cron_runs_total{${cron},outcome="success"} 7`,
    `belfry_cron_runs_total{${cron},outcome="failed"} 1`,
  ]);
  // It never succeeded.
  const queue = 'team="Northwind",queue="emails",id="1"';
  assert.deepEqual(await seriesOf(watched(), 'belfry_queue_'), [
    `belfry_queue_failing_runs{${queue}} 3`,
    `belfry_queue_oldest_due_seconds{${queue}} 0.25`,
    `belfry_queue_runs_total{${queue},outcome="success"} 7`,
    `belfry_queue_runs_total{${queue},outcome="retried"} 2`,
    `belfry_queue_runs_total{${queue},outcome="failed"} 1`,
  ]);
  // A plan without a limit has no series of it.
  assert.deepEqual(await seriesOf(watched(), 'belfry_team_month_'), [
    'belfry_team_month_runs{team="Northwind",id="8"} 12',
    'belfry_team_month_runs{team="Southwind",id="9"} 1',
    'belfry_team_month_limit{team="Northwind",id="8"} 1000',
  ]);
});

test('metrics of sources are cached for seconds', async () => {
  let looks = 0;
  const readSources = () => {
    looks++;
    return Promise.resolve(SOURCES);
  };
  const metrics = watched({ readSources });
  const first = await seriesOf(metrics, 'belfry_queue_runs_total');
  assert.deepEqual(await seriesOf(metrics, 'belfry_queue_runs_total'), first);
  assert.equal(looks, 1);
});

test('without the database, only metrics that are read from it are missing', async () => {
  const away = () => Promise.reject(new Error('away'));
  const metrics = watched({ readBacklog: away, readSources: away });
  for (const name of ['belfry_jobs{', 'belfry_cron_', 'belfry_queue_', 'belfry_team_'])
    assert.deepEqual(await seriesOf(metrics, name), [], name);
  assert.deepEqual(await seriesOf(metrics, 'belfry_in_flight'), ['belfry_in_flight 0']);
});

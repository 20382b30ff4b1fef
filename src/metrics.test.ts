import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Backlog } from '#store/backlog';
import { Metrics } from './metrics.ts';

const PAGE = readFileSync(new URL('../docs/metrics.md', import.meta.url), 'utf8');

/** The figures of a process as any Node program has them; the page names them as a group. */
const isUsual = (name: string) => /^belfry_(process|nodejs)_/.test(name);

async function namesOf(metrics: Metrics): Promise<string[]> {
  const all = await metrics.registry.getMetricsAsJSON();
  return all.map(({ name }) => name).toSorted();
}

const NONE = { count: 0, oldestMs: 0 };
const BACKLOG = { due: NONE, held: NONE, scheduled: NONE, processing: NONE };

function watched(
  readBacklog = () => Promise.resolve<Backlog>(BACKLOG),
  partitionsAheadMs: number | null = 5_000,
): Metrics {
  const metrics = new Metrics();
  metrics.watch({
    clock: { now: () => 0, monotonicMs: () => 0, after: () => () => {} },
    inFlight: () => 0,
    readBacklog,
    readOutbox: () => Promise.resolve({ callbacks: NONE, notices: NONE }),
    ping: () => Promise.resolve(),
    readFreeBytes: () => Promise.resolve(5_000_000_000),
    oldSnapshots: () => [{ heldBy: 'connection 1 of postgres (psql)', seconds: 700 }],
    partitionsAheadMs: () => Promise.resolve(partitionsAheadMs),
  });
  return metrics;
}

test('docs/metrics.md explains every figure of the page, and none that is not there', async () => {
  const names = await namesOf(watched());
  const explained = [...PAGE.matchAll(/^\| `(belfry_\w+)`/gm)].map(([, name]) => name ?? '');
  assert.deepEqual(
    explained.toSorted((a, b) => (a < b ? -1 : 1)),
    names.filter((name) => !isUsual(name)),
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

test('docs/metrics.md names each state of the backlog', async () => {
  const text = await watched().registry.metrics();
  const states = [...text.matchAll(/^belfry_jobs\{state="(\w+)"\}/gm)].map(([, state]) => state);
  assert.deepEqual(states, ['due', 'held', 'scheduled', 'processing']);
  for (const state of states) assert.ok(PAGE.includes(`\`${state}\``), state);
});

test('how far partitions reach is told in seconds, and not at all where there are none', async () => {
  const linesOf = async (aheadMs: number | null) => {
    const text = await watched(undefined, aheadMs).registry.metrics();
    return text.match(/^belfry_partitions_ahead_seconds.*$/gm);
  };
  assert.deepEqual(await linesOf(5_000), ['belfry_partitions_ahead_seconds 5']);
  assert.deepEqual(await linesOf(0), ['belfry_partitions_ahead_seconds 0']);
  assert.equal(await linesOf(null), null);
});

test('while the database is away the backlog is left out, and the rest is told', async () => {
  const metrics = watched(() => Promise.reject(new Error('away')));
  const text = await metrics.registry.metrics();
  assert.doesNotMatch(text, /^belfry_jobs\{/m);
  assert.match(text, /^belfry_in_flight 0$/m);
});

test('every figure that the page mentions in passing exists', async () => {
  const names = await namesOf(watched());
  const mentioned = [...PAGE.matchAll(/belfry_\w+[a-z]/g)].map(([name]) => name);
  const unknown = mentioned.filter((name) => !names.includes(name.replace(/_bucket$/, '')));
  assert.deepEqual(
    unknown.filter((name) => name !== 'belfry_process' && name !== 'belfry_nodejs'),
    [],
  );
});

test('faults of the database are counted by their code', async () => {
  const metrics = watched();
  metrics.databaseFailed('STORE_UNAVAILABLE');
  const text = await metrics.registry.metrics();
  assert.match(text, /^belfry_database_errors_total\{code="STORE_UNAVAILABLE"\} 1$/m);
});

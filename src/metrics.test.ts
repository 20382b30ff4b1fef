import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';

const PAGE = readFileSync(new URL('../docs/metrics.md', import.meta.url), 'utf8');

/** The figures of a process as any Node program has them; the page names them as a group. */
const isUsual = (name: string) => /^belfry_(process|nodejs)_/.test(name);

async function namesOf(metrics: Metrics): Promise<string[]> {
  const all = await metrics.registry.getMetricsAsJSON();
  return all.map(({ name }) => name).toSorted();
}

function watched(): Metrics {
  const metrics = new Metrics();
  metrics.watch({
    clock: { now: () => 0, monotonicMs: () => 0, after: () => () => {} },
    inFlight: () => 0,
    readBacklog: () => Promise.resolve({ due: 0, scheduled: 0, processing: 0, oldestDueMs: 0 }),
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

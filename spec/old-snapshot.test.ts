/** A transaction that somebody has left open, and that slows claims down: it is named wherever an operator looks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeDatabaseClock } from '#testing/faults/database-clock';
import { readMetrics } from '#testing/metrics';
import { createMigratedDatabase } from '#testing/migrated';
import { type BelfryProcess, eventually, startBelfry } from '#testing/process';
import { readFinding } from '#testing/remote';
import { openRows } from '#testing/rows';

const MINUTE_MS = 60_000;

test('a snapshot older than ten minutes is logged once and shown by doctor and /metrics', async () => {
  await using database = await createMigratedDatabase();
  await using clock = await fakeDatabaseClock(database.url);
  await using dump = await openRows(database.url);
  await dump.all(`set application_name = 'pg_dump'; begin isolation level repeatable read`);
  const [{ pid } = { pid: 0 }] = await dump.all<{ pid: number }>('select pg_backend_pid() as pid');
  const holder = `connection ${pid} of postgres (pg_dump)`;
  await clock.step(9 * MINUTE_MS);
  await using belfry = await startBelfry({ databaseUrl: database.url });
  assert.deepEqual(await seenBy(belfry), { metrics: null, doctor: 'ok' });

  await clock.step(12 * MINUTE_MS);
  const line = await belfry.line(/database\.snapshot-old/, 30_000);
  assert.equal((JSON.parse(line) as { holder: string }).holder, holder);
  const { metrics, doctor } = await seenBy(belfry);
  assert.ok(Number(metrics?.[2]) >= 720);
  assert.equal(metrics?.[1], holder);
  assert.match(doctor, new RegExp(`^connection ${pid} of postgres .*12 minutes`));

  await dump.all('commit');
  await belfry.line(/database\.snapshot-gone/, 30_000);
  // By the stepped clock a transaction that the service has just opened is old, too.
  await eventually(async () => (await seenBy(belfry)).doctor === 'ok');
  assert.equal((await seenBy(belfry)).metrics, null);
  const lines = belfry.output.filter((line) => line.includes('database.snapshot-'));
  assert.equal(lines.length, 2, lines.join('\n'));
});

/** What `/metrics` says of an old snapshot, and what `doctor` does where it does not find all well. */
async function seenBy(belfry: BelfryProcess) {
  const figure = /^belfry_old_snapshot_seconds\{held_by="([^"]*)"\} (\d+)$/m;
  const metrics = figure.exec(await readMetrics(belfry));
  const finding = await eventually(() => readFinding(belfry, 'snapshot').catch(() => null));
  return { metrics, doctor: finding?.status === 'ok' ? 'ok' : finding?.message };
}

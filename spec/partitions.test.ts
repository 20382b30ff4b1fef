/** On Postgres ended runs are in partitions by time. A missing partition is logged, and no run is lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMetrics } from '#testing/metrics';
import { createMigratedDatabase } from '#testing/migrated';
import { type BelfryProcess, eventually, startBelfry } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { makeClient, postJob, readFinding, showJob, untilSucceeded } from '#testing/remote';
import { openRows, type Rows } from '#testing/rows';

test('jobs end without a current partition, and doctor and /metrics report it', async () => {
  await using receiver = await startReceiver();
  await using database = await createMigratedDatabase();
  await using belfry = await startBelfry({ databaseUrl: database.url });
  await using rows = await openRows(database.url);
  assert.ok(Number(await aheadOf(belfry)) > 86_400);
  assert.equal((await readFinding(belfry, 'partitions'))?.status, 'ok');

  await dropPartitions(rows);
  const client = await makeClient(belfry);
  const id = await postJob(client, { url: receiver.url });
  await untilSucceeded(belfry, [id]);
  assert.equal((await showJob(belfry, id)).status, 'success');
  const rest = await rows.all<{ id: string }>('select id from ended_jobs_rest');
  assert.deepEqual(rest, [{ id }]);
  assert.match(
    String((await readFinding(belfry, 'partitions'))?.message),
    /^none for the jobs that end now; .*ended_jobs_rest/,
  );
  await eventually(async () => (await aheadOf(belfry)) === '0');
});

async function dropPartitions(rows: Rows): Promise<void> {
  const found = await rows.all<{ name: string }>(`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'ended_jobs'::regclass and inhrelid <> 'ended_jobs_rest'::regclass`);
  await rows.all(`drop table ${found.map(({ name }) => name).join(', ')}`);
}

async function aheadOf(belfry: BelfryProcess): Promise<string | undefined> {
  return /^belfry_partitions_ahead_seconds (\S+)$/m.exec(await readMetrics(belfry))?.[1];
}

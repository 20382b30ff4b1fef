/** docs/metrics.md, "Crons, queues and teams one by one": as many as the operator allows, the same on every process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMetrics } from '#testing/metrics';
import { startService } from '#testing/service';
import { openPostgresTestStore, openSqliteTestStore } from '#testing/stores';

const TARGET = 'http://192.0.2.1/';
const ONE_BY_ONE = /^belfry_(?:cron|queue|team|sources)_/m;

test('metrics have no series per source unless the operator allows them', async () => {
  await using service = await startService(openSqliteTestStore);
  const cron = { name: 'Beat', url: TARGET, cron_expression: '* * * * *' };
  assert.equal((await service.post('/api/crons', cron)).status, 201);
  const text = await readMetrics(service);
  assert.match(text, /^belfry_jobs/m);
  assert.doesNotMatch(text, ONE_BY_ONE);
});

test('metrics have up to the allowed number of sources, from all nodes, and count the rest', async () => {
  await using service = await startService(openPostgresTestStore, {
    env: { METRICS_MAX_SOURCES: '2' },
    plan: 'free',
    sends: false,
  });
  for (const queue of ['one', 'two', 'three']) {
    assert.equal((await service.post('/api/jobs', { queue, url: TARGET })).status, 201);
  }
  const text = await readMetrics(service);
  const queues = [...text.matchAll(/^belfry_queue_oldest_due_seconds\{.*queue="(\w+)"/gm)];
  assert.deepEqual(
    queues.map(([, name]) => name),
    ['one', 'two'],
  );
  assert.match(text, /^belfry_sources_left_out\{kind="queues"\} 1$/m);
  assert.match(text, /^belfry_sources_left_out\{kind="crons"\} 0$/m);
  assert.match(text, /^belfry_team_month_limit\{.*\} 1000$/m);
});

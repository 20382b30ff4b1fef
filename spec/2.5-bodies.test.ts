/** §2.5: a queue or cron can store no response bodies. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeOnceQueue, ONCE, runCronNow, runJob } from '#testing/runs';
import { startReceiver } from '#testing/receiver';
import { scheduleCron, setQueue } from '#testing/scheduling';
import { startService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

const BODY = '{"patient":"Ada Lovelace","ok":true}';
const assertions = [{ kind: 'json_path_equals', path: '$.ok', expected: 'true' }] as const;

test('assertions read a body that is not stored, and its size is recorded', async () => {
  await using target = await startReceiver();
  await using service = await startService(openSqliteTestStore);
  const { work, teamId } = service;
  await makeOnceQueue(service);
  await setQueue(service, { keepsResponseBody: false, assertions }, ONCE);
  const url = `${target.url}/hook`;
  const { id } = await scheduleCron(service, { url, is_active: false });
  await work.editCron(teamId, id, { keepsResponseBody: false, assertions });
  for (const status of [200, 500]) {
    target.answer('/hook', { status, body: BODY });
    const runs = [await runJob(service, { url }), await runCronNow(service, id)];
    for (const run of runs) {
      assert.equal(run.status === 'success', status === 200);
      assert.deepEqual([run.response?.body.length, run.response?.totalBytes], [0, BODY.length]);
      assert.ok(!Buffer.from(JSON.stringify(run)).includes('Lovelace'));
    }
  }
  await setQueue(service, { keepsResponseBody: true }, ONCE);
  const kept = await runJob(service, { url });
  assert.equal(Buffer.from(kept.response?.body ?? []).toString(), BODY);
});

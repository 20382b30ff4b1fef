/** §2.5, §3.9: how much of a response's body is stored, which changes nothing about how it is judged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeOnceQueue, ONCE, runCronNow, runJob } from '#testing/runs';
import { startReceiver } from '#testing/receiver';
import { scheduleCron, setQueue } from '#testing/scheduling';
import { startService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

const KEPT = 10;
/** No text; assertions read behind what is stored. */
const BODY = Buffer.concat([Buffer.from([0, 255, 128, 10]), Buffer.from('x'.repeat(20) + 'fine')]);
const assertions = [{ kind: 'body_contains', text: 'fine' }] as const;

test('RESPONSE_KEEP_BYTES, queues and crons limit what is stored, not what assertions see', async () => {
  await using target = await startReceiver();
  await using service = await startService(openSqliteTestStore, {
    env: { RESPONSE_KEEP_BYTES: String(KEPT) },
  });
  const { work, teamId } = service;
  await makeOnceQueue(service);
  const url = `${target.url}/hook`;
  const { id } = await scheduleCron(service, { url, is_active: false });
  for (const keepsResponseBody of [false, true]) {
    await setQueue(service, { keepsResponseBody, assertions }, ONCE);
    await work.editCron(teamId, id, { keepsResponseBody, assertions });
    for (const status of [200, 500]) {
      target.answer('/hook', { status, body: BODY });
      for (const { response, ...run } of [
        await runJob(service, { url }),
        await runCronNow(service, id),
      ]) {
        assert.equal(run.status === 'success', status === 200, run.errorMessage ?? '');
        const stored = keepsResponseBody ? BODY.subarray(0, KEPT) : Buffer.of();
        assert.deepEqual(Buffer.from(response?.body ?? []), stored);
        assert.equal(response?.totalBytes, BODY.length);
      }
    }
  }
});

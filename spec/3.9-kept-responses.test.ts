/** §3.9: how much of a response's body an operator keeps, which changes nothing about how it is judged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useStarted } from '#testing/hooks';
import { startReceiver } from '#testing/receiver';
import { runCron, runJob } from '#testing/runs';
import { setQueue } from '#testing/scheduling';
import { startService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

const BODY = `${'x'.repeat(5_000)} and all is well`;

const target = useStarted(() => startReceiver({ answer: { body: BODY } }));

for (const kept of [0, 4_999]) {
  test(`RESPONSE_KEEP_BYTES stores the first ${kept} bytes; assertions see the whole body`, async () => {
    await using service = await startService(openSqliteTestStore, {
      env: { RESPONSE_KEEP_BYTES: String(kept) },
    });
    await setQueue(service, { assertions: [{ kind: 'body_contains', text: 'all is well' }] });
    const job = await runJob(service, { url: target.url, queue: 'emails' });
    const run = await runCron(service, { url: target.url });
    for (const { status, response } of [job, run]) {
      assert.equal(status, 'success');
      assert.equal(String(Buffer.from(response?.body ?? [])), BODY.slice(0, kept));
      assert.equal(response?.totalBytes, BODY.length);
    }
  });
}

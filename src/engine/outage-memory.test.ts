import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdRows } from '#testing/holder';
import { eventually } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { scheduleJob } from '#testing/scheduling';
import { startService } from '#testing/service';
import { openPostgresTestStore } from '#testing/stores';

test('large responses that cannot be stored stop further claims, and all are stored later', async () => {
  await using receiver = await startReceiver({ answer: { body: 'x'.repeat(65_535) } });
  await using service = await startService(openPostgresTestStore, {
    env: { MAX_CONCURRENT_REQUESTS: '500' },
  });
  await using holder = await holdRows(service.store);
  await holder.query('lock table ended_jobs in access exclusive mode');
  // 32 MiB are 512 responses. By their number alone 1,000 could wait.
  const jobs = 1_100;
  for (let left = jobs; left > 0; left -= 50) {
    const some = Array.from({ length: 50 }, () => scheduleJob(service, { url: receiver.url }));
    await Promise.all(some);
  }
  const { engine } = service;
  const responsesWait = async () => {
    // A claim that failed on a busy machine is repeated after a pause.
    await service.clock.advance(100);
    return engine?.inFlight === 0 && receiver.requests.length > 512;
  };
  await eventually(responsesWait, { what: 'the requests under way to end' });
  const sent = receiver.requests.length;
  assert.ok(sent < 1_000, `${sent} were sent`);
  await holder.query('commit');
  const allAreSent = async () => {
    await service.clock.advance(1_000);
    return receiver.requests.length === jobs && engine?.isQuiet() === true;
  };
  await eventually(allAreSent, { what: 'all jobs to be sent' });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdRows } from '#testing/holder';
import { startReceiver } from '#testing/receiver';
import { scheduleJob, SECOND } from '#testing/scheduling';
import { startService, type TestService } from '#testing/service';
import { openPostgresTestStore } from '#testing/stores';

/** A claim skips a row that another transaction has locked, and the next claim searches after it. */
describe('a job whose row another transaction has locked, on Postgres', () => {
  test('a due job whose row was locked during the claim is sent at once when fired', async () => {
    await using target = await startReceiver();
    await using service = await startService(openPostgresTestStore);
    const lockedJob = await passOver(service, target.url);
    await service.advance(10);
    assert.equal(target.requests.length, 1, 'only the job that was not locked');
    await service.work.fireJob(service.teamId, lockedJob);
    await service.quiet();
    await target.waitFor(2);
    assert.equal(target.requests[1]?.url, '/locked');
    await service.advance(20 * SECOND);
    assert.equal(target.requests.length, 2, 'sent once');
  });

  test('a job whose row was locked is sent by the next full scan', async () => {
    await using target = await startReceiver();
    await using service = await startService(openPostgresTestStore);
    await passOver(service, target.url);
    await service.advance(10);
    await scheduleJob(service, { url: `${target.url}/later` });
    await target.waitFor(2);
    await service.advance(15 * SECOND);
    await target.waitFor(3);
    assert.deepEqual(
      target.requests.map(({ url }) => url),
      ['/beside', '/later', '/locked'],
    );
  });
});

/** Two jobs become due before the next scan of the store, and a claim skips the locked one. Returns its id. */
async function passOver(service: TestService, url: string): Promise<string> {
  const { job_id: lockedJob } = await scheduleJob(service, { url: `${url}/locked`, delay: 10 });
  await scheduleJob(service, { url: `${url}/beside`, delay: 10 });
  await using holder = await holdRows(service.store);
  await holder.query('select 1 from jobs where id = $1 for update', [lockedJob]);
  await service.advance(10 * SECOND);
  return lockedJob;
}

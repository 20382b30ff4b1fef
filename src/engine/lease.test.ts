import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aNode } from '#testing/makers';
import { startReceiver } from '#testing/receiver';
import { scheduleJob, SECOND } from '#testing/scheduling';
import { startService, type TestService } from '#testing/service';
import { forEachStore } from '#testing/stores';

/** A node finds within this that its lease is over. */
const BEAT_MS = 3 * SECOND;

forEachStore((_name, openTestStore) => {
  describe('a node whose lease was lost', { timeout: 30_000 }, () => {
    test('sends nothing until it has joined anew, and then at once what waits', async () => {
      await using target = await startReceiver();
      await using service = await startService(openTestStore);
      // The first claim of a plan only learns of it.
      await scheduleJob(service, { url: `${target.url}/before` });
      await target.waitFor(1);
      await service.quiet();
      await declareDead(service);
      const { job_id } = await scheduleJob(service, { url: `${target.url}/waiting` });
      await service.quiet();
      assert.equal(target.requests.length, 1, 'sent under a lease that is over');
      await service.clock.advance(BEAT_MS);
      await target.waitFor(2, { withinMs: 15_000 });
      await service.quiet();
      assert.equal((await service.work.findJob(service.teamId, job_id))?.status, 'success');
      assert.equal(target.requests.length, 2);
    });
  });
});

/** As another node does with one that did not renew its lease. */
async function declareDead({ store, clock }: TestService): Promise<void> {
  const other = await store.openAnother();
  const { nodeIds } = await other.nodes.recoverDead(await aNode(other), clock.now(), 'all');
  assert.equal(nodeIds.length, 1);
}

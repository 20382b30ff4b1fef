import assert from 'node:assert/strict';
import { test } from 'node:test';
import { change } from '#store/database/rows';
import { newId } from '#domain/base/ids';
import { silentLog } from '#domain/base/log';
import type { Signal } from '#store/database/signals';
import { aJob, aNode, aTeam, claimJobs, declareDead } from '#testing/factories';
import { eventually } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { scheduleJob, SECOND } from '#testing/scheduling';
import { startService, type TestService } from '#testing/service';
import { forEachStore } from '#testing/stores';
import { Lease } from './lease.ts';

/** A node notices within this time that its lease is over. */
const BEAT_MS = 3 * SECOND;

forEachStore((_name, openTestStore) => {
  test('a node that lost its lease sends nothing until it has joined again', async () => {
    await using target = await startReceiver();
    await using service = await startService(openTestStore);
    // The first claim for a plan only learns the plan's name, and takes nothing.
    await scheduleJob(service, { url: `${target.url}/before` });
    await target.waitFor(1);
    await service.quiet();
    await declareDead(await service.store.openAnother());
    const { job_id } = await scheduleJob(service, { url: `${target.url}/waiting` });
    await service.quiet();
    assert.equal(target.requests.length, 1, 'sent under a lease that is over');
    await service.clock.advance(BEAT_MS);
    await target.waitFor(2);
    await service.quiet();
    assert.equal((await service.work.findJob(service.teamId, job_id))?.status, 'success');
    assert.equal(target.requests.length, 2);
  });

  test('a response after another node ended the run is logged without an outcome', async () => {
    const { promise: after, resolve: release } = Promise.withResolvers<void>();
    await using target = await startReceiver({ answer: { after } });
    const warnings: [event: string, fields: string[]][] = [];
    const warn = (event: string, fields: object = {}) =>
      void warnings.push([event, Object.keys(fields)]);
    await using service = await startService(openTestStore, { log: { ...silentLog, warn } });
    const { job_id } = await scheduleJob(service, { url: target.url });
    await target.waitFor(1);
    await declareDead(await service.store.openAnother());
    release();
    await service.quiet();
    assert.equal((await service.work.findJob(service.teamId, job_id))?.status, 'dead_lettered');
    const late = warnings.find(([event]) => event === 'attempt.too-late');
    assert.deepEqual(late?.[1], ['jobId', 'attempt', 'durationMs']);
  });

  test('runs of a dead node are counted by the node that declares it dead', async () => {
    await using store = await openTestStore();
    const team = await aTeam(store);
    const dead = await aNode(store);
    const { queueId } = await aJob(store, team.id);
    assert.equal((await claimJobs(store, dead, { queueIds: [queueId] })).claimed.length, 1);
    const counted: unknown[] = [];
    const observer = { leaseLost: () => {}, runsCutOff: (ended: unknown) => counted.push(ended) };
    const onMoreToDo = () => {};
    const lease = new Lease({ store, log: silentLog, observer, onMoreToDo });
    await lease.start();
    // On Postgres a node is dead once its row has stayed the same for a whole lease.
    await eventually(async () => {
      await store.testClock.advance(BEAT_MS);
      return counted.length > 0;
    });
    assert.deepEqual(counted, [{ jobs: 1, executions: 0 }]);
    await lease.stop(new Set());
  });

  test('a node that signs off reports since when its lost claims are due', async () => {
    await using service = await startService(openTestStore);
    const { store, teamId, clock } = service;
    await store.queues.save(teamId, 'emails', { isPaused: true }, clock.now());
    const { queueId, scheduledAt } = await aJob(store, teamId);
    await service.quiet();
    await claimWithLostAnswer(service, queueId);
    const received: Signal[] = [];
    // On Postgres, `unknown` says that the connection listens from now on.
    store.signals.listen((signal) => signal.kind !== 'unknown' && received.push(signal));
    const stopped = service.engine?.stop(0);
    await clock.advance(1);
    await stopped;
    assert.deepEqual(received, [{ kind: 'jobs', queueId, teamId, dueAt: scheduledAt }]);
  });

  test("a node that signed off sends nothing and doesn't come back", async () => {
    await using store = await openTestStore();
    const other = await aNode(store);
    const onMoreToDo = () => {};
    const lease = new Lease({ store, log: silentLog, leaseMs: 1, onMoreToDo });
    await lease.start();
    const { nodeId } = lease;
    assert.equal(await lease.holds(nodeId), true);
    await lease.stop(new Set());
    await store.testClock.advance(10 * SECOND);
    assert.equal(await lease.holds(nodeId), false);
    assert.deepEqual(await store.nodes.readOthers(other), []);
  });
});

/** Makes a claim in the engine's name without the engine getting the result. */
async function claimWithLostAnswer(service: TestService, queueId: string): Promise<void> {
  const { store, teamId } = service;
  const [node] = await store.nodes.readOthers(newId(0));
  assert.ok(node);
  const another = await store.openAnother();
  await change(another.database, 'queues', { id: queueId }, { is_paused: 0 });
  const { claimed } = await claimJobs(another, node.id, { queueIds: [queueId] });
  assert.equal(claimed[0]?.teamId, teamId);
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TeamFull } from '#domain/team/team-bounds';
import { aCron, aJob, aTeam } from '#testing/factories';
import { forEachStore } from '#testing/stores';
import { PayloadBound } from './jobs/payload-bound.ts';

const bounds = { crons: 2, queues: 2, waitingPayloadBytes: 1024 };
const full = (bound: TeamFull['bound']) => (error: unknown) =>
  error instanceof TeamFull && error.bound === bound;

forEachStore((_, openTestStore) => {
  describe('the bounds of a team (§8.3)', () => {
    test('a cron beyond the bound is refused until one is deleted, also of those made at once', async () => {
      await using store = await openTestStore({ bounds });
      const [{ id: teamId }, { id: other }] = [await aTeam(store), await aTeam(store)];
      const made = await Promise.allSettled(Array.from({ length: 8 }, () => aCron(store, teamId)));
      const refused = made.filter((each) => each.status === 'rejected');
      assert.equal(refused.length, 6);
      assert.ok(refused.every(({ reason }) => full('crons')(reason)));
      await aCron(store, other);
      const [first] = await store.crons.list(teamId);
      await store.crons.delete(teamId, first?.id ?? '');
      await aCron(store, teamId);
      assert.equal((await store.crons.list(teamId)).length, 2);
    });

    test('a job that would create one queue too many is rejected; a job for an existing queue is accepted', async () => {
      await using store = await openTestStore();
      const bounded = await store.openAnother({ bounds });
      const [{ id: teamId }, { id: other }] = [await aTeam(store), await aTeam(store)];
      const tried = await Promise.allSettled(
        ['a', 'b', 'c', 'd', 'a'].map((queue) => aJob(bounded, teamId, { queue })),
      );
      const names = (await store.queues.list(teamId)).map(({ name }) => name);
      assert.equal(names.length, 2);
      tried.forEach((outcome, n) => {
        const isKnown = names.includes('abcda'.charAt(n));
        assert.equal(outcome.status, isKnown ? 'fulfilled' : 'rejected');
        if (outcome.status === 'rejected') assert.ok(full('queues')(outcome.reason));
      });
      await assert.rejects(bounded.queues.save(teamId, 'f', {}, 1), full('queues'));
      // The bound is lowered.
      for (const queue of ['g', 'h']) await aJob(store, teamId, { queue });
      await aJob(bounded, teamId, { queue: 'h' });
      await assert.rejects(aJob(bounded, teamId, { queue: 'e' }), full('queues'));
      assert.equal(
        (await bounded.queues.save(teamId, 'g', { timeoutSeconds: 7 }, 1)).timeoutSeconds,
        7,
      );
      await aJob(bounded, other, { queue: 'e' });
    });

    test('a job whose payload does not fit is refused until others have left the queue', async () => {
      await using store = await openTestStore({ bounds });
      const [{ id: teamId }, { id: other }] = [await aTeam(store), await aTeam(store)];
      const payload = JSON.stringify({ text: 'é'.repeat(200) });
      assert.equal(Buffer.byteLength(payload), 411);
      const { jobId } = await aJob(store, teamId, { payload, delaySeconds: 60 });
      await aJob(store, teamId, { payload, delaySeconds: 60 });
      await assert.rejects(aJob(store, teamId, { payload }), full('waitingPayloadBytes'));
      await aJob(store, teamId, { payload: null });
      await aJob(store, teamId, { payload: '{}' });
      await aJob(store, other, { payload });
      await store.jobs.deletePending(teamId, [jobId]);
      await store.testClock.advance(5_000);
      await aJob(store, teamId, { payload });
      await assert.rejects(aJob(store, teamId, { payload }), full('waitingPayloadBytes'));
    });
  });
});

describe('the bound of waiting payloads', () => {
  const MIB = 2 ** 20;
  const clockAt = (ms: { now: number }) => ({ monotonicMs: () => ms.now });

  test('the bound of waiting payloads takes few queries for any number of jobs', async () => {
    let asked = 0;
    let stored = 0;
    const measure = () => Promise.resolve(++asked && stored);
    const most = 4096 * MIB;
    const bound = new PayloadBound({ most, measure, clock: clockAt({ now: 0 }) });
    const size = MIB / 64;
    for (let n = 0; n < 100_000; n++) {
      await bound.within('team', size, () => Promise.resolve((stored += size)));
    }
    assert.ok(asked <= 3, `asked ${asked} times for 100,000 jobs`);
  });

  test('the payload bound refuses a flood and reads the database at most every five seconds', async () => {
    let asked = 0;
    const ms = { now: 0 };
    const measure = () => Promise.resolve(++asked && 10 * MIB);
    const bound = new PayloadBound({ most: 8 * MIB, measure, clock: clockAt(ms) });
    const tryOne = () => bound.within('team', MIB, () => Promise.resolve('stored'));
    const outcomes = await Promise.allSettled(Array.from({ length: 1000 }, tryOne));
    assert.ok(outcomes.filter(({ status }) => status === 'fulfilled').length <= 8);
    await Promise.allSettled(Array.from({ length: 1000 }, tryOne));
    assert.ok(asked <= 2, `asked ${asked} times`);
    ms.now = 5_000;
    await Promise.allSettled(Array.from({ length: 1000 }, tryOne));
    assert.ok(asked <= 3, `asked ${asked} times`);
  });

  test('the payload bound counts jobs that are being stored, and forgets those that failed', async () => {
    const measure = () => Promise.resolve(0);
    const bound = new PayloadBound({ most: 3 * MIB, measure, clock: clockAt({ now: 0 }) });
    const gate = Promise.withResolvers<string>();
    const two = [1, 2, 3].map(() => bound.within('team', MIB, () => gate.promise));
    await assert.rejects(
      bound.within('team', MIB, () => Promise.resolve('too many')),
      full('waitingPayloadBytes'),
    );
    gate.reject(new Error('the disk is full'));
    for (const each of two) await assert.rejects(each, /disk is full/);
    assert.equal(await bound.within('team', MIB, () => Promise.resolve('stored')), 'stored');
  });

  test('the payload bound uses its own count while the database does not answer', async () => {
    const measure = () => Promise.reject(new Error('busy'));
    const bound = new PayloadBound({ most: 3 * MIB, measure, clock: clockAt({ now: 0 }) });
    const store = () => bound.within('team', MIB, () => Promise.resolve('stored'));
    for (let n = 0; n < 3; n++) await store();
    await assert.rejects(store(), full('waitingPayloadBytes'));
  });
});

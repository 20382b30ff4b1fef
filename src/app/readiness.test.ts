import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { forEachStore } from '#testing/stores';
import { createReadiness, type Readiness } from './readiness.ts';

forEachStore((_name, openTestStore) => {
  test('a probe of writes leaves nothing behind', async () => {
    await using store = await openTestStore();
    const count = 'select count(*) as n from installation';
    const before = await store.database.autocommit(count);
    await Promise.all([store.probeWrite(), store.probeWrite()]);
    assert.deepEqual(await store.database.autocommit(count), before);
  });
});

test('readiness tries a write only after a failure, at most once a second', async () => {
  const clock = new FakeClock(0);
  let probes = 0;
  let isFull = true;
  const readiness: Readiness = createReadiness({
    clock,
    ping: async () => {},
    probeWrite: async () => {
      probes++;
      if (!isFull) return;
      readiness.failed('STORE_UNAVAILABLE');
      throw new Error('full');
    },
  });
  await readiness.check();
  readiness.failed('STORE_BUSY');
  await readiness.check();
  assert.equal(probes, 0);

  readiness.failed('STORE_UNAVAILABLE');
  for (let n = 0; n < 3; n++) await assert.rejects(readiness.check(), /full/);
  assert.equal(probes, 1);
  isFull = false;
  await assert.rejects(readiness.check(), /full/);
  await clock.advance(1_000);
  await readiness.check();
  await readiness.check();
  assert.equal(probes, 2);
});

test('a database that does not answer is not ready', async () => {
  const ping = async () => Promise.reject(new Error('away'));
  const readiness = createReadiness({ clock: new FakeClock(0), ping, probeWrite: ping });
  await assert.rejects(readiness.check(), /away/);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '#domain/ids';
import { eventually } from '#testing/process';
import { openPostgresTestStore } from '#testing/stores';
import { startTcpProxy } from '#testing/tcp-proxy';
import type { Signal } from '../signals.ts';

describe('signals on Postgres', { timeout: 60_000 }, () => {
  test('are heard again as soon as a process that was frozen wakes, though its connection carries nothing more', async () => {
    await using store = await openPostgresTestStore();
    const url = new URL(store.location.kind === 'postgres' ? store.location.url : '');
    await using proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const location = { kind: 'postgres', url: url.href } as const;
    const frozen = await store.openAnother({ serving: true, location });
    const heard: Signal[] = [];
    frozen.signals.listen((signal) => heard.push(signal));
    await eventually(() => heard.length === 1, { what: 'the first connection' });

    proxy.fallSilent();
    await store.testClock.freeze(20_000);
    await store.testClock.advance(100);
    await eventually(() => heard.length === 2, { withinMs: 4_000, what: 'another connection' });
    assert.deepEqual(heard, [{ kind: 'unknown' }, { kind: 'unknown' }]);
    const news: Signal = { kind: 'callbacks', teamId: newId(0) };
    store.signals.send([news]);
    await store.testClock.advance(10);
    await eventually(() => heard.length > 2, { what: 'the news' });
    assert.deepEqual(heard.slice(2), [news], 'heard once');
  });

  test('keep their connection while it is asked in time', async () => {
    await using store = await openPostgresTestStore();
    const listening = await store.openAnother({ serving: true });
    const heard: Signal[] = [];
    listening.signals.listen((signal) => heard.push(signal));
    await eventually(() => heard.length === 1, { what: 'the connection' });
    for (let n = 0; n < 6; n++) await store.testClock.freeze(4_000);
    await store.testClock.advance(100);
    store.signals.send([{ kind: 'notices' }]);
    await store.testClock.advance(10);
    await eventually(() => heard.length > 1, { what: 'the news' });
    assert.deepEqual(heard, [{ kind: 'unknown' }, { kind: 'notices' }]);
  });
});

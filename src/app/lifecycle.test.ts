import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { silentLog } from '#domain/base/log';
import { type Part, Service, stopOnSignals } from './lifecycle.ts';

/** Parts that record what happens to them. One of them may fail at a step. */
function partsWith(names: string[], failing?: { start?: string; stop?: string }) {
  const story: string[] = [];
  const parts = names.map((name): Part => ({
    name,
    async start() {
      story.push(`start ${name}`);
      if (failing?.start === name) throw new Error(`${name} does not start`);
    },
    async stop(graceMs) {
      story.push(`stop ${name}`);
      assert.ok(graceMs >= 0 && graceMs <= 1000);
      if (failing?.stop === name) throw new Error(`${name} does not stop`);
    },
  }));
  const service = new Service(silentLog);
  const start = async () => {
    for (const part of parts) await service.add(part);
  };
  return { story, service, start };
}

describe('a service', () => {
  test('the service starts its parts in order and stops them in reverse', async () => {
    const { story, service, start } = partsWith(['store', 'engine', 'web']);
    await start();
    assert.equal(await service.stop(1000), true);
    assert.deepEqual(story, [
      'start store',
      'start engine',
      'start web',
      'stop web',
      'stop engine',
      'stop store',
    ]);
  });

  test("a service stops its started parts when another part can't start", async () => {
    const { story, start } = partsWith(['store', 'engine', 'web'], { start: 'engine' });
    await assert.rejects(start(), /engine does not start/);
    assert.deepEqual(story, ['start store', 'start engine', 'stop store']);
  });

  test('a service stops all parts even if one fails, and reports it', async () => {
    const { story, service, start } = partsWith(['store', 'web'], { stop: 'web' });
    await start();
    assert.equal(await service.stop(1000), false);
    assert.deepEqual(story.slice(2), ['stop web', 'stop store']);
  });

  test("a part that doesn't stop in time doesn't block the next one", async () => {
    const story: string[] = [];
    const part = (name: string, stop: () => Promise<void>): Part => ({
      name,
      start: async () => {},
      stop: async () => {
        story.push(`stop ${name}`);
        await stop();
      },
    });
    const hangs = part('engine', () => new Promise(() => {}));
    const service = new Service(silentLog, 1);
    await service.add(part('store', async () => {}));
    await service.add(hangs);
    assert.equal(await service.stop(0), false);
    assert.deepEqual(story, ['stop engine', 'stop store']);
  });

  test('a stop during the start ends the starting part first', async () => {
    const { story, service, start } = partsWith(['store']);
    await start();
    const starting = Promise.withResolvers<void>();
    const added = service.add({
      name: 'engine',
      start: async () => starting.promise,
      stop: async () => {
        story.push('stop engine');
        starting.resolve();
        await starting.promise;
      },
    });
    assert.equal(await service.stop(1000), true);
    assert.equal(await added, false);
    assert.deepEqual(story, ['start store', 'stop engine', 'stop store']);
  });

  test('no further part is started once the service is stopping', async () => {
    const { story, service, start } = partsWith(['store']);
    await start();
    const stopped = service.stop(1000);
    const late: Part = { name: 'late', start: async () => assert.fail(), stop: async () => {} };
    assert.equal(await service.add(late), false);
    await stopped;
    assert.deepEqual(story, ['start store', 'stop store']);
  });

  test('a service stops once', async () => {
    const { story, service, start } = partsWith(['store']);
    await start();
    await Promise.all([service.stop(1000), service.stop(1000)]);
    assert.deepEqual(story, ['start store', 'stop store']);
  });
});

describe('signals', () => {
  function listen(echoMs: number) {
    const source = new EventEmitter();
    const calls: string[] = [];
    stopOnSignals(source, {
      stop: () => calls.push('stop'),
      abort: () => calls.push('abort'),
      echoMs,
    });
    return { source, calls };
  }

  test('the first signal stops gracefully and the second at once', () => {
    const { source, calls } = listen(0);
    source.emit('SIGINT');
    assert.deepEqual(calls, ['stop']);
    source.emit('SIGTERM');
    assert.deepEqual(calls, ['stop', 'abort']);
  });

  test('an echo of the first is not a second one', () => {
    const { source, calls } = listen(60_000);
    source.emit('SIGINT');
    source.emit('SIGINT');
    assert.deepEqual(calls, ['stop']);
  });
});

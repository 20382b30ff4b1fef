import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { silentLog } from '#domain/base/log';
import { type Part, stopInTime, stopOnSignals } from './lifecycle.ts';

/** A part that records its stop. */
function partOf(story: string[], name: string, stop: (graceMs: number) => Promise<void>): Part {
  return {
    name,
    stop: (graceMs) => {
      story.push(`stop ${name}`);
      return stop(graceMs);
    },
  };
}

for (const [flaw, stop] of [
  ['fails', () => Promise.reject(new Error('does not stop'))],
  ["doesn't end in time", () => new Promise<void>(() => {})],
] as const)
  test(`a part whose stop ${flaw} is reported and doesn't block the next one`, async () => {
    const story: string[] = [];
    const log = {
      ...silentLog,
      error: (event: string, { part }: { part?: unknown } = {}) =>
        void story.push(`${event}: ${String(part)}`),
    };
    const parts = [
      partOf(story, 'web', stop),
      partOf(story, 'store', async (graceMs) => assert.ok(graceMs >= 0 && graceMs <= 1)),
    ];
    assert.equal(await stopInTime(parts, { graceMs: 1, overtimeMs: 5 }, log), false);
    assert.deepEqual(story, ['stop web', 'stop.failed: web', 'stop store']);
    assert.equal(await stopInTime(parts.slice(1), { graceMs: 0 }, log), true);
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

  test('SIGHUP stops gracefully and never ends the process at once', () => {
    const { source, calls } = listen(0);
    source.emit('SIGHUP');
    source.emit('SIGHUP');
    source.emit('SIGTERM');
    source.emit('SIGHUP');
    assert.deepEqual(calls, ['stop']);
    source.emit('SIGTERM');
    assert.deepEqual(calls, ['stop', 'abort']);
  });

  test('a signal that arrives twice at once does not count as a second one', () => {
    const { source, calls } = listen(60_000);
    source.emit('SIGINT');
    source.emit('SIGINT');
    assert.deepEqual(calls, ['stop']);
  });
});

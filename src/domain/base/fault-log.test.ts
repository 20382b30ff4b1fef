import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { FaultLog } from './fault-log.ts';
import { silentLog } from './log.ts';

test('a lasting fault is logged at once, at growing distances, and when it has ended', async () => {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  const lines: object[] = [];
  const write = (event: string, fields = {}) =>
    lines.push({ at: clock.monotonicMs() / 1000, event, ...fields });
  const faults = new FaultLog(clock, { ...silentLog, warn: write, info: write }, 'chore.failed');
  faults.worked();
  for (let second = 0; second < 200; second++) {
    faults.failed(new Error('away'), { what: 'chore' });
    await clock.advance(1_000);
  }
  faults.worked({ what: 'chore' });
  faults.worked();
  faults.failed(new Error('away again'));
  const failed = { event: 'chore.failed', what: 'chore', error: 'away' };
  assert.deepEqual(lines, [
    { at: 0, ...failed, times: 1 },
    { at: 60, ...failed, times: 61 },
    { at: 180, ...failed, times: 181 },
    {
      at: 200,
      event: 'fault.ended',
      fault: 'chore.failed',
      what: 'chore',
      times: 200,
      seconds: 200,
    },
    { at: 200, event: 'chore.failed', error: 'away again', times: 1 },
  ]);
});

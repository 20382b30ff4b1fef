import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { makeFolder } from './guard.ts';
import { keepDurations, readDurations, shareProcesses } from './share-processes.ts';

test('files that took long share a process with few others and start first; none is left out', () => {
  const files = Array.from({ length: 20 }, (_, n) => `src/${n}.test.ts`);
  const all = ['packaging/a.test.ts', 'spec/lost-thread.test.ts', ...files, 'packaging/b.test.ts'];
  const shared = shareProcesses(all, { 'src/7.test.ts': 60_000, 'src/9.test.ts': 25_000 });
  assert.deepEqual(shared.slice(0, 2), [
    ['packaging/a.test.ts', 'packaging/b.test.ts'],
    ['src/7.test.ts'],
  ]);
  assert.equal(shared[2]?.[0], 'src/9.test.ts');
  assert.ok(shared.some((group) => group.join() === 'spec/lost-thread.test.ts'));
  assert.ok(shared.slice(1).every((group) => group.length <= 16));
  assert.deepEqual(shared.flat().toSorted(), all.toSorted());
});

test('durations of files are kept beside those of files that did not run', () => {
  const kept = path.join(makeFolder(), 'build', 'durations.json');
  assert.deepEqual(readDurations(kept), {});
  keepDurations(kept, '▶ src/a.test.ts\n  ✔ works (9ms)\n✔ src/a.test.ts (12.6ms)\n');
  keepDurations(kept, '\u001B[32m✔ src/b.test.ts \u001B[90m(7.1ms)\u001B[39m\u001B[39m\n');
  assert.deepEqual(readDurations(kept), { 'src/a.test.ts': 13, 'src/b.test.ts': 7 });
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makeFolder } from './guard.ts';
import { keepDurations, readDurations, shareProcesses } from './share-processes.ts';
import { writeList } from './take-files.ts';

test('files that took long are taken first; none is left out', () => {
  const files = Array.from({ length: 20 }, (_, n) => `src/${n}.test.ts`);
  const all = ['packaging/a.test.ts', 'spec/lost-thread.test.ts', ...files, 'packaging/b.test.ts'];
  const { alone, taken } = shareProcesses(all, {
    'src/7.test.ts': 60_000,
    'src/9.test.ts': 25_000,
  });
  assert.deepEqual(alone, ['spec/lost-thread.test.ts']);
  assert.deepEqual(taken.slice(0, 3), [
    ['packaging/a.test.ts', 'packaging/b.test.ts'],
    ['src/7.test.ts'],
    ['src/9.test.ts'],
  ]);
  assert.deepEqual([...alone, ...taken.flat()].toSorted(), all.toSorted());
});

const TEST_FILE = `import { after, before, describe, test } from 'node:test';
import fs from 'node:fs';
const name = import.meta.filename;
const say = (what) => fs.appendFileSync(process.env.SAID, what + ' ' + name.slice(-6, -3) + '\\n');
before(() => say('before'));
after(() => say('after'));
describe('a suite', () => {
  test('that ends later', async () => {
    await new Promise((done) => setTimeout(done, 20));
    say('test');
  });
});
`;

test('each process takes the next files when its last has ended, also after one that cannot be loaded', () => {
  const folder = makeFolder();
  const names = ['f-0.ts', 'f-1.ts', 'bad.ts', 'f-2.ts', 'f-3.ts'];
  for (const name of names)
    fs.writeFileSync(path.join(folder, name), name === 'bad.ts' ? 'throw 1;' : TEST_FILE);
  const list = writeList(
    path.join(folder, 'list'),
    names.map((name) => [path.join(folder, name)]),
  );
  const processes = ['a.ts', 'b.ts'].map((name) => path.join(folder, name));
  const taker = JSON.stringify(path.join(import.meta.dirname, 'take-files.ts'));
  for (const file of processes)
    fs.writeFileSync(
      file,
      `import { takeFiles } from ${taker};\ntakeFiles(${JSON.stringify(list)});`,
    );
  const said = path.join(folder, 'said');
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=spec', '--test-concurrency=1', ...processes],
    { env: { ...env, SAID: said }, encoding: 'utf8' },
  );
  assert.equal(status, 1);
  assert.match(stdout, /^✖ .*bad\.ts/m);
  assert.match(stdout, /^ℹ fail 1$/m, 'the totals count it too');
  const steps = ['f-0', 'f-1', 'f-2', 'f-3'].flatMap((file) =>
    ['before', 'test', 'after'].map((step) => `${step} ${file}\n`),
  );
  assert.equal(fs.readFileSync(said, 'utf8'), steps.join(''));
});

test('durations of files that did not run are kept', () => {
  const kept = path.join(makeFolder(), 'build', 'durations.json');
  assert.deepEqual(readDurations(kept), {});
  keepDurations(kept, '▶ src/a.test.ts\n  ✔ works (9ms)\n✔ src/a.test.ts (12.6ms)\n');
  keepDurations(kept, '\u001B[32m✔ src/b.test.ts \u001B[90m(7.1ms)\u001B[39m\u001B[39m\n');
  assert.deepEqual(readDurations(kept), { 'src/a.test.ts': 13, 'src/b.test.ts': 7 });
});

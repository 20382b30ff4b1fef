import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { eventually } from './wait.ts';

const STARTER = `
  import { spawn, spawnSync } from 'node:child_process';
  import { guardChild } from ${JSON.stringify(path.join(import.meta.dirname, 'guard.ts'))};
  const pids = [1, 2, 3].map(() => spawn('sleep', ['60'], { stdio: 'ignore' }).pid);
  const [, releaseSecond] = pids.map(guardChild);
  releaseSecond();
  console.log(pids.join());
  setInterval(() => {}, 1000);`;

/** What has ended may stay in the process table, as a zombie, where nobody asks for its end. */
const isAlive = (pid: number) =>
  /^[^Z]/.test(spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).stdout);

test('children end with the process that guards them, even when it is killed, but those it has released', async () => {
  const starter = spawn(process.execPath, ['--input-type=module', '-e', STARTER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(starter.stdout, 'data')) as [Buffer];
  const [first = 0, second = 0, third = 0] = said.toString().split(',').map(Number);
  assert.deepEqual([first, second, third].map(isAlive), [true, true, true]);
  starter.kill('SIGKILL');
  try {
    await eventually(() => !isAlive(first) && !isAlive(third), { what: 'the children to end' });
    assert.equal(isAlive(second), true);
  } finally {
    process.kill(second, 'SIGKILL');
  }
});

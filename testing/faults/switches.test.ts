import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { eventually } from '#testing/process';
import { makeSwitches } from './switches.ts';

/** Prints the time of both its threads, and ends with its own exit code when the database thread has ended. */
const PROCESS = `
  const { Worker } = require('node:worker_threads');
  const start = (text) => new Worker(new URL('data:text/javascript,' + encodeURIComponent(text)));
  const print = 'setInterval(() => console.log(NAME, Date.now(), new Date().getTime(), new Date(0).getTime()), 20)';
  start("import 'node:sqlite';" + print.replace('NAME', '1')).on('exit', () => process.exit(7));
  start('setInterval(() => {}, 1000)').on('exit', () => process.exit(8));
  eval(print.replace('NAME', '0'));`;

test('the clock of a process steps in all its threads, and only its threads with a database end', async () => {
  const switches = makeSwitches();
  const child = spawn(process.execPath, ['-e', PROCESS], {
    env: { ...process.env, ...switches.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  using _ended = { [Symbol.dispose]: () => void child.kill('SIGKILL') };
  const last = new Map<number, number[]>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.trim().split('\n')) {
      const [thread = 0, ...values] = line.split(' ').map(Number);
      last.set(thread, values);
    }
  });
  for (const toMs of [3_600_000, -20_000, 0]) {
    await switches.stepClock(toMs);
    const goesBy = (thread: number) => {
      const [now = 0, date = 0, fixed] = last.get(thread) ?? [];
      const isClose = (value: number) => Math.abs(value - Date.now() - toMs) < 10_000;
      return isClose(now) && isClose(date) && fixed === 0;
    };
    await eventually(() => goesBy(0) && goesBy(1), { what: `both threads to go by ${toMs} ms` });
  }
  switches.endDatabaseThreads();
  const [code] = (await exited) as [number];
  assert.equal(code, 7);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { guardChild } from './guard.ts';

/** Starts a program of the machine, which ends with this process at the latest. */
export function guardedSpawn(
  command: string,
  args: readonly string[],
): ChildProcess & AsyncDisposable {
  const child = spawn(command, args, { stdio: 'ignore' });
  const release = guardChild(Number(child.pid));
  const ended = once(child, 'exit');
  return Object.assign(child, {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
      release();
    },
  });
}

/**
 * Runs one contestant in a process of its own, so that none profits from another's warm-up or leftovers.
 *
 * The child gets a round, stores its jobs, delivers them, and reports how long the delivery took.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';

import { readTreeMicros } from './processor-time.ts';
import type { MakeContestant, Round } from './contestant.ts';

export interface Delivered {
  perSecond: number;
  /** Processor time of the delivering process, in microseconds a job; SQLite works in it. */
  cpuMicros: number;
  /** Processor time of its database server, in microseconds per job. */
  serverMicros: number;
  fillMs: number;
}

const LIMIT_MS = 120_000;

/** Starts a process for one round. `file` exports a `MakeContestant` as its default. */
export async function runRound(file: string, round: Round): Promise<Delivered> {
  const child = fork(import.meta.filename, [file, JSON.stringify(round)], {
    execArgv: process.execArgv.filter((flag) => !flag.startsWith('--cpu-prof')),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  try {
    const ended = once(child, 'exit').then(() => null);
    const message = await Promise.race([once(child, 'message'), ended]);
    if (message === null) throw new Error(`${file} ended before it had delivered`);
    await ended;
    return message[0] as Delivered;
  } finally {
    clearTimeout(limit);
    child.kill('SIGKILL');
  }
}

async function takePart(file: string, round: Round): Promise<Delivered> {
  const { default: make } = (await import(file)) as { default: MakeContestant };
  const contestant = await make(round);
  const filledFrom = performance.now();
  await contestant.fill();
  const fillMs = performance.now() - filledFrom;
  const serverMicros = () => (round.serverPid === null ? 0 : readTreeMicros(round.serverPid));
  const before = process.cpuUsage();
  const serverBefore = serverMicros();
  const from = performance.now();
  await contestant.deliver();
  const tookMs = performance.now() - from;
  const { user, system } = process.cpuUsage(before);
  const server = serverMicros() - serverBefore;
  await contestant.close();
  return {
    perSecond: (round.jobs / tookMs) * 1000,
    cpuMicros: (user + system) / round.jobs,
    serverMicros: server / round.jobs,
    fillMs,
  };
}

if (import.meta.main) {
  const [file = '', round = '{}'] = process.argv.slice(2);
  const delivered = await takePart(file, JSON.parse(round) as Round);
  process.send?.(delivered);
  process.disconnect?.();
}

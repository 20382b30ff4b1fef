import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresProxy, Way } from '#testing/faults/postgres-proxy';
import { eventually } from '#testing/process';
import { signIn } from '#testing/remote';
import { makeGate } from '#testing/scheduling';
import { withinTime } from '#testing/wait';
import type { Fault, Step } from './story.ts';
import { LONG_WAIT_LIMIT_MS, WAIT_LIMIT_MS } from '#testing/limits';

/** What the cells of the matrix are made of. */

const SECOND = 1_000;

/** Begins something, and ends it after so long. */
function during(seconds: number, begin: Step['act'], end: Step['act']): Fault {
  const steps = [
    { act: begin, lastsMs: seconds * SECOND },
    { act: end, lastsMs: 0 },
  ];
  return { steps };
}

const onProxies =
  (act: (proxy: PostgresProxy) => void): Step['act'] =>
  (hit) => {
    for (const { proxy } of hit) if (proxy) act(proxy);
  };

/** Postgres is out of reach: connections break, and new ones are refused, or nothing is said at all. */
export function databaseAway(way: Way, seconds: number): Fault {
  const begin = onProxies((proxy) => {
    proxy.switchTo(way);
    if (way !== 'silent') proxy.cut();
  });
  const end = onProxies((proxy) => proxy.switchTo('carries'));
  return during(seconds, begin, end);
}

/** Everything that is said to Postgres takes so long, and so does every answer. */
export function databaseSlow(wayMs: number, seconds: number): Fault {
  const delayBy = (ms: number) => onProxies((proxy) => proxy.delay(ms));
  return during(seconds, delayBy(wayMs), delayBy(0));
}

/** As many people look at pages whose search of the database is not answered for so long. */
export function pagesRead(pages: number, seconds: number): Fault {
  const gate = makeGate();
  const answers: Promise<unknown>[] = [];
  const begin: Step['act'] = async (hit) => {
    for (const { belfry, proxy } of hit) {
      const visitor = await eventually(() => signIn(belfry).catch(() => null), {
        withinMs: LONG_WAIT_LIMIT_MS,
        everyMs: 500,
      });
      const delayed = proxy?.delayAnswersTo('a needle', gate.opened);
      const look = () => visitor.get('/jobs?payload=a+needle');
      const looks = Array.from({ length: pages }, look);
      answers.push(...looks);
      await Promise.race([delayed, Promise.allSettled(looks)]);
    }
  };
  return during(seconds, begin, async () => {
    gate.open();
    await Promise.allSettled(answers);
  });
}

export function fileLocked(seconds: number): Fault {
  let other: DatabaseSync | null = null;
  const begin: Step['act'] = ([node]) => {
    const file = String(node?.belfry.databaseUrl).slice('sqlite:'.length);
    other = new DatabaseSync(file, { timeout: WAIT_LIMIT_MS });
    other.exec('begin immediate');
  };
  return during(seconds, begin, () => other?.close());
}

export function connectionsCut(times: number): Fault {
  const cut: Step = { act: onProxies((proxy) => proxy.cut()), lastsMs: 400 };
  return { steps: Array.from({ length: times }, () => cut) };
}

/** Of every few transactions that change something, the connection breaks at the commit of one. */
export function commitsLost(fate: 'commit-lost' | 'answer-lost', oneOf: number, seconds: number) {
  const begin = onProxies((proxy) => {
    let writes = 0;
    proxy.decideFates(() => (++writes % oneOf === 0 ? fate : 'carried'));
  });
  const end = onProxies((proxy) => proxy.decideFates(() => 'carried'));
  return during(seconds, begin, end);
}

/** Nodes look at the database's clock every ten seconds; whether a step does harm shows when all have seen it. */
const SEEN_BY_ALL_MS = 12_000;

/** A clock steps so far away from the true time, one after the other, and then back to it. */
function clockSteps(act: (ms: number) => Step['act'], lastsMs: number, toMs: readonly number[]) {
  const steps = [...toMs, 0].map((each): Step => ({ act: act(each), lastsMs }));
  return { leavesWaiting: true, steps };
}

export function databaseClockSteps(...toMs: readonly number[]): Fault {
  return clockSteps((ms) => (_, scene) => scene.databaseClock?.step(ms), SEEN_BY_ALL_MS, toMs);
}

/** The clock of a node, which sees it at once. */
export function nodeClockSteps(holdSeconds: number, ...toMs: readonly number[]): Fault {
  const step = (ms: number) => async (hit: Parameters<Step['act']>[0]) => {
    await Promise.all(hit.map(({ switches }) => switches.stepClock(ms)));
  };
  return clockSteps(step, holdSeconds * SECOND, toMs);
}

/** The process is stopped, as by a host that swaps or moves it, and goes on. */
export function frozen(seconds: number): Fault {
  const send =
    (signal: 'SIGSTOP' | 'SIGCONT'): Step['act'] =>
    (hit) => {
      for (const { belfry } of hit) belfry.signal(signal);
    };
  return during(seconds, send('SIGSTOP'), send('SIGCONT'));
}

export function diskFull(seconds: number): Fault {
  const end: Step['act'] = (_, { disk }) => disk?.freeSpace();
  return during(seconds, (_, { disk }) => disk?.fill(), end);
}

/**
 * The process is killed again and again amid its work, and started anew each time, as a supervisor does. Every fourth
 * time it is asked to stop a moment before.
 */
export function killed(times: number): Fault {
  const kill = (n: number): Step => ({
    act: async (hit) => {
      await Promise.all(
        hit.map(async (node) => {
          if (n % 4 === 3) {
            node.belfry.signal('SIGTERM');
            await delay(100);
          }
          await node.belfry.kill();
          node.belfry = await node.belfry.restart();
        }),
      );
    },
    // Amid the first work of the new process, or later.
    lastsMs: (n * 370) % 1_300,
  });
  return { givesUp: true, steps: Array.from({ length: times }, (_, n) => kill(n)) };
}

/** The thread that holds the database ends; the process follows it and is started anew, as a supervisor does. */
export function threadEnds(): Fault {
  const act: Step['act'] = async ([node]) => {
    if (node === undefined) return;
    node.switches.endDatabaseThreads();
    const code = await withinTime(node.belfry.exited, 30_000, () => 'the process to end');
    if (code !== 1) throw new Error(`the process ended with ${code}`);
    node.switches.clear();
    node.belfry = await node.belfry.restart();
  };
  return { givesUp: true, steps: [{ act, lastsMs: 0 }] };
}

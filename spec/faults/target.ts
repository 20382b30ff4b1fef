import { setTimeout as delay } from 'node:timers/promises';
import { type Receiver, startReceiver } from '#testing/receiver';
import type { Gate } from '#testing/scheduling';
import { withinTime } from '#testing/wait';
import { LONG_WAIT_LIMIT_MS } from '#testing/limits';

/**
 * The state of a job when the fault begins:
 * - `brief` is posted all the time, so some are being claimed, sent, settled or have callbacks in progress.
 * - `answered` is in flight and answered during the fault, so its outcome waits for the database.
 * - `long` is in flight until the fault is over.
 * - `due` becomes due during the fault.
 * - `single` waits for the only slot of its queue.
 * - `callback` has its callback in flight.
 */
export type Kind = 'brief' | 'answered' | 'long' | 'due' | 'single' | 'callback';

export interface Place {
  cell: number;
  kind: Kind;
  n: number;
}

export function pathOf({ cell, kind, n }: Place): string {
  return `/${cell}/${kind}/${n}`;
}

export function placeOf(path: string): Place | null {
  const [, cell, kind, n] = /^\/(\d+)\/([a-z]+)\/(\d+)$/.exec(path) ?? [];
  return kind === undefined ? null : { cell: Number(cell), kind: kind as Kind, n: Number(n) };
}

export function callbackPathOf(path: string): string {
  return `/callback${path}`;
}

export const CRON_PATH = '/cron/1';

export interface Phases {
  begun: Gate;
  over: Gate;
}

/** Receives every job, cron run and callback of a story. */
export interface Target extends AsyncDisposable {
  url: string;
  /** Of the current story: when delayed responses are sent. */
  phases: Phases;
  answersAt(path: string): readonly number[];
  bodiesAt(path: string): string[];
  /** The most requests of the queue with one slot that were under way at once. */
  mostSingle(): number;
  /** Resolves once it is so; looks whenever a request has arrived. */
  until(isSo: () => boolean, what: string): Promise<void>;
  untilAsked(paths: readonly string[]): Promise<void>;
}

/** The attempts of a job that always fails. */
export const TRIES = 2;

/** The response to the attempt after `before` others. A pure function, so that the test can predict outcomes. */
export function statusOf({ kind, n }: Place, before: number): number {
  if (kind === 'brief' && n % 6 === 5) return 500;
  const failsFirst = (kind === 'brief' && n % 4 === 1) || (kind === 'answered' && n % 3 === 0);
  return failsFirst && before === 0 ? 500 : 200;
}

export async function startTarget(phases: Phases): Promise<Target> {
  const answers = new Map<string, number[]>();
  const lookers = new Set<() => void>();
  /** Requests whose sender still waits; those of ended processes are removed. */
  const single = new Set<AbortSignal>();
  let mostSingle = 0;
  const answer = async ({ url }: { url: string }, _count: number, over: AbortSignal) => {
    const place = placeOf(url);
    const before = answers.get(url) ?? [];
    const status = place === null ? 200 : statusOf(place, before.length);
    answers.set(url, [...before, status]);
    if (place?.kind === 'single' && !over.aborted) {
      single.add(over);
      over.addEventListener('abort', () => void single.delete(over));
      mostSingle = Math.max(mostSingle, single.size);
    }
    for (const look of lookers) look();
    await waitFor(url, place, before.length, target.phases);
    single.delete(over);
    return { status };
  };
  const receiver: Receiver = await startReceiver({ answer });
  const target: Target = {
    url: receiver.url,
    phases,
    answersAt: (path) => answers.get(path) ?? [],
    bodiesAt: (path) =>
      receiver.requests.filter(({ url }) => url === path).map(({ body }) => String(body)),
    mostSingle: () => mostSingle,
    until: async (isSo, what) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => {
        if (isSo()) resolve();
      };
      lookers.add(look);
      look();
      try {
        await withinTime(promise, LONG_WAIT_LIMIT_MS, () => what);
      } finally {
        lookers.delete(look);
      }
    },
    untilAsked: (paths) =>
      target.until(() => paths.every((path) => answers.has(path)), `all of ${paths.join(' ')}`),
    [Symbol.asyncDispose]: () => receiver.close(),
  };
  return target;
}

/** Belfry gives up a callback after ten seconds, so the target delays none beyond the shortest fault. */
async function waitFor(
  url: string,
  place: Place | null,
  before: number,
  { begun, over }: Phases,
): Promise<void> {
  if (url.startsWith('/callback/')) {
    await delay(20);
    if (/\/callback\/\d+$/.test(url)) await begun.opened;
  } else if (place === null) await begun.opened;
  else if (place.kind === 'answered' && before === 0) await begun.opened;
  else if (place.kind === 'long') await over.opened;
  else if (place.kind === 'single') {
    if (place.n === 0) await begun.opened;
    await delay(100);
  } else await delay(30);
}

/**
 * Whether the service still answers this page, as the page's own requests tell it. Lives in the browser;
 * on the server nothing ever changes it.
 */
import { useSyncExternalStore } from 'react';
import { addressOf } from '../address.ts';

export type Connection =
  | { kind: 'live' }
  /** `away`: it answers that it can't read or keep anything just now. `since` in milliseconds since 1970 UTC. */
  | { kind: 'lost'; why: 'unreachable' | 'away'; since: number }
  /** It answers, but to nobody: the session ended. */
  | { kind: 'signed-out' };

/** What one answer, or its absence, says about the connection. */
export type Sign = 'answered' | 'unreachable' | 'away' | 'signed-out';

/** What follows from a sign. A loss keeps the time at which it began, whatever becomes of it in between. */
export function follow(before: Connection, sign: Sign, now: number): Connection {
  if (sign === 'answered') return before.kind === 'live' ? before : { kind: 'live' };
  if (sign === 'signed-out') return before.kind === 'signed-out' ? before : { kind: 'signed-out' };
  if (before.kind !== 'lost') return { kind: 'lost', why: sign, since: now };
  return before.why === sign ? before : { ...before, why: sign };
}

/** A form that was not taken: what happened, and what to do about it. */
export type Untaken = {
  title: string;
  text: string;
  /** The team that the page shows, where another one is the current one by now. */
  team?: { id: string; name: string };
};

/** How the page renews itself. */
export type Refreshing = { kind: 'off' } | { kind: 'live' } | { kind: 'paused'; why: string };

type State = { connection: Connection; untaken: Untaken | null; refreshing: Refreshing };

let state: State = { connection: { kind: 'live' }, untaken: null, refreshing: { kind: 'off' } };
const initial = state;
const listeners = new Set<() => void>();

function change(part: Partial<State>): void {
  const isSame = (Object.keys(part) as (keyof State)[]).every((key) => part[key] === state[key]);
  if (isSame) return;
  state = { ...state, ...part };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useConnection(): State {
  return useSyncExternalStore(
    subscribe,
    () => state,
    () => initial,
  );
}

export const readConnection = (): Connection => state.connection;

/** Takes in what an answer, or its absence, said; while there is none, somebody looks again and again. */
export function note(sign: Sign): void {
  const connection = follow(state.connection, sign, Date.now());
  change({ connection });
  if (connection.kind !== 'live') lookAgain();
}

export function noteUntaken(untaken: Untaken | null): void {
  change({ untaken });
}

export function noteRefreshing(refreshing: Refreshing): void {
  const { refreshing: before } = state;
  const isSame =
    before.kind === refreshing.kind &&
    (before.kind !== 'paused' || (refreshing.kind === 'paused' && before.why === refreshing.why));
  if (!isSame) change({ refreshing });
}

/** Resolves once the service answers again; rejects where nobody waits for it any more. */
export function waitForAnswer(signal: AbortSignal): Promise<void> {
  if (state.connection.kind !== 'lost') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const leave = () => {
      stop();
      signal.removeEventListener('abort', abort);
    };
    const abort = () => {
      leave();
      reject(signal.reason instanceof Error ? signal.reason : new Error('Nobody waits any more'));
    };
    const stop = subscribe(() => {
      if (state.connection.kind === 'lost') return;
      leave();
      resolve();
    });
    signal.addEventListener('abort', abort);
  });
}

/** Tells whether the service is there and who is signed in, in a few bytes. */
const heartbeatPage = '/connection';
const lookEveryMs = 2000;
const lookLimitMs = 2500;
let timer: ReturnType<typeof setTimeout> | undefined;

function lookAgain(): void {
  timer ??= setTimeout(() => {
    void look().then((sign) => {
      timer = undefined;
      note(sign);
    });
  }, lookEveryMs);
}

async function look(): Promise<Sign> {
  try {
    const answer = await fetch(addressOf(heartbeatPage), {
      cache: 'no-store',
      signal: AbortSignal.timeout(lookLimitMs),
    });
    if (!answer.ok) return 'away';
    const { isSignedIn } = (await answer.json()) as { isSignedIn: boolean };
    // On the pages before the sign-in nobody is missed.
    return isSignedIn || state.connection.kind === 'lost' ? 'answered' : 'signed-out';
  } catch {
    return 'unreachable';
  }
}

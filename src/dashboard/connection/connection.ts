/** By the page's own requests. The state is in the browser; on the server it never changes. */
import { useSyncExternalStore } from 'react';
import { addressOf } from '../address.ts';

export type Connection =
  | { kind: 'live' }
  /** `unreachable`: no response. `away`: the service can't read or store. */
  | { kind: 'lost'; why: 'unreachable' | 'away'; since: number }
  /** The service responds, but the session has ended. */
  | { kind: 'signed-out' };

export type Sign = 'answered' | 'unreachable' | 'away' | 'signed-out';

/** During an outage `since` stays. */
export function follow(before: Connection, sign: Sign, now: number): Connection {
  if (sign === 'answered') return before.kind === 'live' ? before : { kind: 'live' };
  if (sign === 'signed-out') return before.kind === 'signed-out' ? before : { kind: 'signed-out' };
  if (before.kind !== 'lost') return { kind: 'lost', why: sign, since: now };
  return before.why === sign ? before : { ...before, why: sign };
}

export type FormProblem = {
  title: string;
  text: string;
  /** If another one is current. */
  team?: { id: string; name: string };
};

type State = {
  connection: Connection;
  formProblem: FormProblem | null;
  /** Whether the page refreshes itself. */
  refreshing: 'off' | 'live' | 'paused';
  pausedFor: string | null;
};

let state: State = {
  connection: { kind: 'live' },
  formProblem: null,
  refreshing: 'off',
  pausedFor: null,
};
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

export function note(sign: Sign): void {
  const connection = follow(state.connection, sign, Date.now());
  change({ connection });
  if (connection.kind !== 'live') lookAgain();
}

export function noteFormProblem(formProblem: FormProblem | null): void {
  change({ formProblem });
}

export function noteRefreshing(refreshing: State['refreshing'], pausedFor: string | null = null) {
  change({ refreshing, pausedFor });
}

/** Rejects if the signal aborts. */
export function waitForAnswer(signal: AbortSignal): Promise<void> {
  if (state.connection.kind !== 'lost') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = subscribe(() => {
      if (state.connection.kind === 'lost') return;
      stop();
      resolve();
    });
    signal.addEventListener('abort', () => {
      stop();
      reject(new DOMException('Nothing is waiting any more', 'AbortError'));
    });
  });
}

/** A few bytes: whether the service answers and the user is signed in. */
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
    // Without a session before the sign-in, nothing is reported.
    return isSignedIn || state.connection.kind === 'lost' ? 'answered' : 'signed-out';
  } catch {
    return 'unreachable';
  }
}

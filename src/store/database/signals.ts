/** A hint after the commit that something may be due earlier. A lost one delays a job until the engine's next look. */
export type Signal =
  | { kind: 'jobs'; queueId: string; teamId: string; dueAt: number }
  | { kind: 'queue-changed'; queueId: string; teamId: string }
  | { kind: 'team-due'; teamId: string; dueAt: number }
  | { kind: 'callbacks'; teamId: string }
  | { kind: 'notifications' }
  | { kind: 'unknown' };

const TOLD_BY_KIND: Record<Signal['kind'], readonly string[]> = {
  jobs: ['queueId', 'teamId', 'dueAt'],
  'queue-changed': ['queueId', 'teamId'],
  'team-due': ['teamId', 'dueAt'],
  callbacks: ['teamId'],
  notifications: [],
  unknown: [],
};

/** A `dueAt` that is no time would stay in the scheduler. */
export function isSignal(value: unknown): value is Signal {
  const { kind = '', ...rest } = Object(value) as Record<string, unknown> & { kind?: string };
  if (!Object.hasOwn(TOLD_BY_KIND, kind)) return false;
  return TOLD_BY_KIND[kind as Signal['kind']].every((name) =>
    name === 'dueAt' ? Number.isFinite(rest[name]) : typeof rest[name] === 'string',
  );
}

/** To every engine that listens, in this process and others. */
export interface SignalBus {
  send(signals: readonly Signal[]): void;
  listen(listener: (signal: Signal) => void): () => void;
}

export class LocalSignals implements SignalBus {
  readonly #listeners = new Set<(signal: Signal) => void>();

  send(signals: readonly Signal[]): void {
    for (const signal of signals) for (const listener of this.#listeners) listener(signal);
  }

  listen(listener: (signal: Signal) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

import type { FailureReason } from '#domain/failure';
import type { EndedJobStatus } from '#domain/run-status';

export type RunOutcome = EndedJobStatus;

/** What watches the engine: metrics and logs. Called on the hot path, so it must be quick and never throw. */
export interface EngineObserver {
  /** A run was claimed and starts now, `latenessMs` after it was due. */
  runStarted(kind: 'job' | 'execution', latenessMs: number): void;
  runEnded(end: {
    kind: 'job' | 'execution';
    outcome: RunOutcome;
    reason: FailureReason | null;
    durationMs: number;
  }): void;
  callbackSent(): void;
  /** Others have declared this process dead, and it has joined anew. */
  leaseLost(): void;
  /** A claim took `claimed` runs; `blocked` more were over a month's limit. */
  claimed(claimed: number, blocked: number): void;
}

export const unobserved: EngineObserver = {
  runStarted: () => {},
  runEnded: () => {},
  callbackSent: () => {},
  leaseLost: () => {},
  claimed: () => {},
};

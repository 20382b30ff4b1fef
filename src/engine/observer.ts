import type { FailureReason } from '#domain/failure';
import type { EndedJobStatus } from '#domain/run-status';

export type RunOutcome = EndedJobStatus;

/**
 * Receives the engine's events, for metrics and logs. Its methods are called on the hot path, so they must be quick and
 * never throw.
 */
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
  /** Other nodes have declared this process dead, and it has joined again. */
  leaseLost(): void;
  /** Runs of dead processes were settled as worker failures. */
  runsCutOff(ended: { jobs: number; executions: number }): void;
  /** A claim took `claimed` runs. The monthly limit stopped `blocked` more. */
  claimed(claimed: number, blocked: number): void;
}

export const unobserved: EngineObserver = {
  runStarted: () => {},
  runEnded: () => {},
  callbackSent: () => {},
  leaseLost: () => {},
  runsCutOff: () => {},
  claimed: () => {},
};

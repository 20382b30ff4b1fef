import type { FailureReason } from '#domain/judging/failure';
import type { EndedJobStatus } from '#domain/runs/run-status';

/** For metrics and logs. On the hot path: be quick and never throw. */
export interface EngineObserver {
  /** `latenessMs` after it was due. */
  runStarted(kind: 'job' | 'execution', latenessMs: number): void;
  runEnded(end: {
    kind: 'job' | 'execution';
    outcome: EndedJobStatus;
    reason: FailureReason | null;
    durationMs: number;
  }): void;
  callbackSent(): void;
  /** Others declared this process dead, and it has joined again. */
  leaseLost(): void;
  /** Runs of dead processes ended as worker failures. */
  runsCutOff(ended: { jobs: number; executions: number }): void;
  /** The monthly limit stopped `blocked` more. */
  claimed(claimed: number, blocked: number): void;
}

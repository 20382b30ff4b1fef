import { MAX_RETRY_DELAY_SECONDS } from './retry-schedule.ts';

/** An attempt that waits, as far as a held target concerns it. */
export interface WaitingAttempt {
  url: string;
  attemptNumber: number;
  /** For a retry the end of the attempt before it. */
  createdAt: number;
  /** Whether a person has given it its time: by Fire now, or by an edit. */
  isTimeByHand: boolean;
}

/** The target that a `Retry-After` holds: the origin of the URL, so scheme, host and port. Null for a damaged URL. */
export function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}

/** Whether an attempt waits for a target that is held (§3.4): a retry does, unless a person has given it its time. */
export function mayBeHeld({ attemptNumber, isTimeByHand }: WaitingAttempt): boolean {
  return attemptNumber > 1 && !isTimeByHand;
}

/**
 * Until when an attempt waits for its target, which is held until `until`: at most a day after the attempt before it,
 * however long others go on to be told to wait.
 */
export function waitsUntil(attempt: WaitingAttempt, until: number): number {
  return Math.min(until, attempt.createdAt + MAX_RETRY_DELAY_SECONDS * 1000);
}

import type { NextStep } from './after-attempt.ts';

/**
 * The alert that an ended attempt raises in a queue with email alerts (§6.4): a warning if the first attempt fails,
 * a failure if the job is dead-lettered, none for the retries between.
 *
 * If the first attempt is also the last one, only the failure is raised, just as a cron with a threshold of 1 has no
 * warning (§6.5): both alerts would report the same run at the same moment.
 */
export function decideJobAlert(
  step: NextStep,
  attemptNumber: number,
  emailAlerts: boolean,
): 'warning' | 'failure' | null {
  if (!emailAlerts || step.kind === 'finish') return null;
  if (step.kind === 'dead-letter') return 'failure';
  return attemptNumber === 1 ? 'warning' : null;
}

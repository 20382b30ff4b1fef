import type { NextStep } from './after-attempt.ts';

/**
 * What an ended attempt raises in a queue whose email alerts are on (§6.4): a warning when the first
 * attempt fails, a failure when the job is dead-lettered, nothing for the retries between.
 *
 * Where the first attempt is also the last, the failure alone is raised, as a cron whose threshold is 1
 * has no warning (§6.5): the two would tell of the same run at the same moment.
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

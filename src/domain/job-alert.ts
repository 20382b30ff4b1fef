import type { NextStep } from './after-attempt.ts';

/** If the first attempt is also the last, only the failure is raised: both would report the same run (§6.4). */
export function decideJobAlert(
  step: NextStep,
  attemptNumber: number,
  emailAlerts: boolean,
): 'warning' | 'failure' | null {
  if (!emailAlerts || step.kind === 'finish') return null;
  if (step.kind === 'dead-letter') return 'failure';
  return attemptNumber === 1 ? 'warning' : null;
}

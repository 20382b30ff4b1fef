import type { CronInput } from '#work/resources/cron';
import type { SameCron, Work } from '../services.ts';
import { readText } from '../forms/read-form.ts';

/** The field that says which other cron a member was told of and saves beside. */
export const sameAsField = 'same_as';

/** The cron that a form's would run beside, at the same URL and times (§3.1), unless the member has agreed to it. */
export async function findUntold(
  work: Work,
  teamId: string,
  { form, input, ownId }: { form: FormData; input: CronInput; ownId?: string },
): Promise<SameCron | null> {
  const same = await work.findSameCron(teamId, input, ownId);
  return same?.id === readText(form, sameAsField) ? null : same;
}

/** What the two pages with a queue's form answer when it is not saved. */
import type { FieldErrors, TestRunOutcome, Work } from '../services.ts';
import type { QueueForm } from './read-forms.ts';
import { readTrial, testQueue } from './test-drafts.ts';
import type { FormReading, QueueTyped, Trial } from './typed.ts';

export type QueueAnswer = {
  typed: QueueTyped;
  trial: Trial;
  errors?: FieldErrors;
  test?: TestRunOutcome;
};

/** The answer to a form that was refused, or is only to be tried; null where it is to be saved. */
export async function answerQueueForm(
  form: FormData,
  reading: FormReading<QueueTyped, QueueForm>,
  work: Work,
  teamId: string,
): Promise<QueueAnswer | null> {
  const trial = readTrial(form);
  const answer = { typed: reading.typed, trial };
  if (!reading.ok) return { ...answer, errors: reading.errors };
  if (form.get('intent') !== 'test') return null;
  const test = await testQueue(work, teamId, reading.input, trial);
  return test === null
    ? { ...answer, errors: { test_url: ['Enter the URL that the request goes to.'] } }
    : { ...answer, test };
}

/** The responses of the two pages with a queue's form if it is not saved. */
import { open } from '../serving/open.ts';
import { may } from '#people/roles';
import { silencesFailures } from '#work/for-member';
import type { Queue } from '#work/queues';
import { type Context } from '../context.ts';
import type { FieldErrors } from '../services.ts';
import type { ShownTest } from '../runs/run-text.ts';
import type { QueueForm } from './read-forms.ts';
import { readTestRequest, testQueue } from './test-drafts.ts';
import type { FormReading, QueueFormValues, TestRequest } from './form-values.ts';

export type QueueAnswer = {
  formValues: QueueFormValues;
  testRequest: TestRequest;
  errors?: FieldErrors;
  test?: ShownTest;
};

/**
 * The response to a form that was refused, or that asks for a test; null if it is to be saved.
 *
 * @param present  the queue that is edited; null for a new one
 */
export async function answerQueueForm(
  context: Context,
  reading: FormReading<QueueFormValues, QueueForm>,
  present: Queue | null,
): Promise<QueueAnswer | null> {
  const { team, work, form, intent } = open(context);
  const testRequest = readTestRequest(form);
  const answer = { formValues: reading.formValues, testRequest };
  if (!reading.ok) return { ...answer, errors: reading.errors };
  if (intent !== 'test') {
    const isRefused =
      !may(team.role, 'notifications') && silencesFailures(reading.input.change, present);
    return isRefused ? { ...answer, errors: { failure_channels: [nobody] } } : null;
  }
  const test = await testQueue(work, team.id, reading.input, testRequest);
  return test === null
    ? { ...answer, errors: { test_url: ['Enter the URL that the request goes to.'] } }
    : { ...answer, test };
}

const nobody = 'Choose a channel for failures. Only an admin can choose nobody.';

/** The responses of the two pages with a queue's form if it is not saved. */
import type { FieldErrors, Work } from '../services.ts';
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

/** The response to a form that was refused, or that asks for a test; null if it is to be saved. */
export async function answerQueueForm(
  form: FormData,
  reading: FormReading<QueueFormValues, QueueForm>,
  work: Work,
  teamId: string,
): Promise<QueueAnswer | null> {
  const testRequest = readTestRequest(form);
  const answer = { formValues: reading.formValues, testRequest };
  if (!reading.ok) return { ...answer, errors: reading.errors };
  if (form.get('intent') !== 'test') return null;
  const test = await testQueue(work, teamId, reading.input, testRequest);
  return test === null
    ? { ...answer, errors: { test_url: ['Enter the URL that the request goes to.'] } }
    : { ...answer, test };
}

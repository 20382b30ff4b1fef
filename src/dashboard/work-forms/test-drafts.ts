/** Turns a form that was read into the request of a test run. */
import { LIMITS } from '#domain/limits';
import { HTTP_METHODS } from '#domain/exchange';
import type { JobInput } from '#work/job-input';
import { isSendableUrl } from '#work/fields';
import type { TestRunOutcome, Work } from '../services.ts';
import { readText } from '../forms/read-form.ts';
import { findMasked } from './read-fields.ts';
import type { CronForm, QueueForm } from './read-forms.ts';
import type { RequestFormValues, TestRequest } from './form-values.ts';

/** A form that could be read, with its headers as typed. */
type Read<Input> = { formValues: Pick<RequestFormValues, 'headers'>; input: Input };

export async function testCron(
  work: Work,
  teamId: string,
  {
    formValues,
    input: {
      cron,
      extras: { assertions },
    },
  }: Read<CronForm>,
): Promise<TestRunOutcome> {
  const { method, url, headers, payload, timeoutSeconds } = cron;
  return work.testRun(teamId, {
    kind: 'cron',
    method,
    url,
    headers,
    masked: findMasked(formValues.headers),
    payload,
    timeoutSeconds,
    assertions,
  });
}

export async function testJob(
  work: Work,
  teamId: string,
  {
    formValues,
    input: { method, url, headers, payloadJson, queue },
  }: Read<Omit<JobInput, 'delaySeconds'>>,
): Promise<TestRunOutcome> {
  const masked = findMasked(formValues.headers);
  return work.testRun(teamId, { kind: 'job', method, url, headers, masked, payloadJson, queue });
}

export function readTestRequest(form: FormData): TestRequest {
  return { method: readText(form, 'test_method') || 'GET', url: readText(form, 'test_url').trim() };
}

/** Tries a queue's settings against a URL; null where that is none. What the form leaves out has its default. */
export async function testQueue(
  work: Work,
  teamId: string,
  { change }: QueueForm,
  testRequest: TestRequest,
): Promise<TestRunOutcome | null> {
  const method = HTTP_METHODS.find((known) => known === testRequest.method);
  if (!method || !isSendableUrl(testRequest.url)) return null;
  const { timeoutSeconds = LIMITS.timeoutSeconds.initial, assertions = [] } = change;
  return work.testRun(teamId, {
    kind: 'queue',
    method,
    url: testRequest.url,
    timeoutSeconds,
    assertions,
  });
}

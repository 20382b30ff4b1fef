/** Turns a form that was read into the request of a test run. */
import { LIMITS } from '#domain/limits';
import { HTTP_METHODS } from '#domain/exchange';
import type { JobInput } from '#work/resources/job';
import { isSendableUrl } from '#work/fields';
import type { Work } from '../services.ts';
import { shortenTest, type ShownTest } from '../runs/run-text.ts';
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
): Promise<ShownTest> {
  const { method, url, headers, payload, timeoutSeconds } = cron;
  const outcome = await work.testRun(teamId, {
    kind: 'cron',
    method,
    url,
    headers,
    masked: findMasked(formValues.headers),
    payload,
    timeoutSeconds,
    assertions,
  });
  return shortenTest(outcome);
}

export async function testJob(
  work: Work,
  teamId: string,
  {
    formValues,
    input: { method, url, headers, payloadJson, queue },
  }: Read<Omit<JobInput, 'delaySeconds'>>,
): Promise<ShownTest> {
  const masked = findMasked(formValues.headers);
  const outcome = await work.testRun(teamId, {
    kind: 'job',
    method,
    url,
    headers,
    masked,
    payloadJson,
    queue,
  });
  return shortenTest(outcome);
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
): Promise<ShownTest | null> {
  const method = HTTP_METHODS.find((known) => known === testRequest.method);
  if (!method || !isSendableUrl(testRequest.url)) return null;
  const { timeoutSeconds = LIMITS.timeoutSeconds.initial, assertions = [] } = change;
  const outcome = await work.testRun(teamId, {
    kind: 'queue',
    method,
    url: testRequest.url,
    timeoutSeconds,
    assertions,
  });
  return shortenTest(outcome);
}

/** The three forms, read by the rules of the API (§2.1–2.3), with what was typed kept beside. */
import type { Assertion } from '#domain/assertion';
import { readJsonField } from '#domain/json-text';
import { parseAssertions } from '#domain/assertions';
import type { HeaderList } from '#domain/exchange';
import { formatUtcMinute } from '#domain/instant';
import { formatRate } from '#domain/rate';
import { formatRetrySchedule } from '#domain/retry-schedule';
import type { IsSecretHeader } from '#domain/secret-headers';
import { CRON, type CronInput, readCronEnd, readCronInput } from '#work/resources/cron';
import type { Cron, CronExtras } from '#work/crons';
import { type JobInput, readJobInput } from '#work/resources/job';
import { type QueueChange, readQueueChange, readQueueName } from '#work/resources/queue';
import { readWhole } from '#work/resources/resource';
import type { Queue } from '#work/queues';
import { formValuesOfAlerts } from '../alerts/alert-form-values.ts';
import { readAlertForm } from '../alerts/read-alert-form.ts';
import { readChecked, readText } from '../forms/read-form.ts';
import type { FieldErrors, JobDraft } from '../services.ts';
import {
  assertionsOfRows,
  buildFields,
  errorsOf,
  findRepeatedHeader,
  headersJson,
  readAssertionRows,
  readJsonPayload,
  readRequest,
  writeChecked,
} from './read-fields.ts';
import {
  mask,
  maskHeaders,
  rowsOfAssertions,
  writeHeaders,
  type AssertionRow,
  type CronFormValues,
  type FormReading,
  type JobFormValues,
  type QueueFormValues,
} from './form-values.ts';

export type CronForm = { cron: CronInput; extras: CronExtras };

/**
 * @param stored  the cron's stored headers, which replace those that the form shows masked
 * @param isTest  a test needs neither a name nor a schedule
 */
export function readCronForm(
  form: FormData,
  stored: HeaderList = [],
  isTest = false,
): FormReading<CronFormValues, CronForm> {
  const alerts = readAlertForm(form);
  const formValues: CronFormValues = {
    ...readRequest(form),
    name: readText(form, 'name'),
    tags: readText(form, 'tags').trim(),
    cron_expression: readText(form, 'cron_expression'),
    ends_at: readText(form, 'ends_at').trim(),
    max_runs: readText(form, 'max_runs').trim(),
    timeout_seconds: readText(form, 'timeout_seconds').trim(),
    alert_threshold: readText(form, 'alert_threshold'),
    is_active: readChecked(form, 'is_active'),
    assertions: readAssertionRows(form),
    alerts: alerts.formValues,
    time_zone: form.has('time_zone') ? readText(form, 'time_zone').trim() : null,
  };
  const { headers, assertions: rows, ...others } = formValues;
  const { is_active: _, alerts: _alerts, time_zone: _zone, ...texts } = others;
  const fields = buildFields(
    {
      ...texts,
      is_active: writeChecked(form, 'is_active'),
      ...(isTest ? { name: 'Test run', cron_expression: '@daily' } : {}),
    },
    { headers: readJsonField(headersJson(headers, stored)) },
  );
  const [reading, tags] = [readCronInput(fields), readWhole({ tags: CRON.tags }, fields)];
  const end = readCronEnd(fields);
  const assertions = readAssertions(rows);
  const errors = {
    ...(reading.ok ? {} : errorsOf(reading.errors)),
    ...findRepeatedHeader(headers),
    ...assertions.errors,
    ...(tags.ok ? {} : errorsOf(tags.errors)),
    ...(end.ok ? {} : errorsOf(end.errors)),
    ...alerts.errors,
  };
  if (!reading.ok || !tags.ok || !end.ok || Object.keys(errors).length > 0)
    return { ok: false, formValues, errors };
  const { settings: alertSettings } = alerts;
  const settings = { assertions: assertions.list, alertSettings, ...tags.input };
  const extras = { ...settings, end: end.input };
  return { ok: true, formValues, input: { cron: reading.input, extras } };
}

function readAssertions(rows: readonly AssertionRow[]): { list: Assertion[]; errors: FieldErrors } {
  const parsed = parseAssertions(assertionsOfRows(rows));
  if ('error' in parsed) return { list: [], errors: { assertions: [parsed.error] } };
  return { list: [...parsed], errors: {} };
}

const payloadError =
  'The payload is sent as JSON, so it must be a JSON object or list, such as {"order": 42}.';

/** @param stored  the headers of the job that another is made from, for those that the form shows masked */
export function readJobForm(
  form: FormData,
  stored: HeaderList = [],
): FormReading<JobFormValues, JobInput> {
  const formValues: JobFormValues = {
    ...readRequest(form),
    // A new name takes precedence over the chosen queue, because the form always sends a chosen one.
    queue: readText(form, 'new_queue').trim() || readText(form, 'queue'),
    delay: readText(form, 'delay').trim(),
    scheduled_at: readText(form, 'scheduled_at').trim(),
  };
  const { headers, payload, scheduled_at: _, ...texts } = formValues;
  const json = readJsonPayload(payload);
  const reading = readJobInput(
    buildFields(texts, {
      headers: readJsonField(headersJson(headers, stored)),
      payload: json,
    }),
  );
  const errors = {
    ...(reading.ok ? {} : errorsOf(reading.errors)),
    ...findRepeatedHeader(headers),
    ...(json !== null || payload.trim() === '' ? {} : { payload: [payloadError] }),
  };
  if (!reading.ok || Object.keys(errors).length > 0) return { ok: false, formValues, errors };
  return { ok: true, formValues, input: reading.input };
}

export type QueueForm = { name: string; change: QueueChange };

/** @param name  the queue's name if it cannot be changed */
export function readQueueForm(
  form: FormData,
  name?: string,
): FormReading<QueueFormValues, QueueForm> {
  const alerts = readAlertForm(form);
  const formValues: QueueFormValues = {
    queue: name ?? readText(form, 'queue'),
    tags: readText(form, 'tags').trim(),
    timeout_seconds: readText(form, 'timeout_seconds').trim(),
    retries_enabled: readChecked(form, 'retries_enabled'),
    retry_schedule: readText(form, 'retry_schedule'),
    concurrency_limit: readText(form, 'concurrency_limit').trim(),
    rate: readText(form, 'rate').trim(),
    email_alerts: readChecked(form, 'email_alerts'),
    dead_letter_days: readText(form, 'dead_letter_days').trim(),
    is_paused: readChecked(form, 'is_paused'),
    assertions: readAssertionRows(form),
    alerts: alerts.formValues,
  };
  const { assertions, queue, timeout_seconds, retry_schedule } = formValues;
  const { concurrency_limit, rate, dead_letter_days, tags } = formValues;
  const fields = buildFields(
    {
      queue,
      timeout_seconds,
      retry_schedule,
      concurrency_limit,
      rate,
      dead_letter_days,
      tags,
      retries_enabled: writeChecked(form, 'retries_enabled'),
      email_alerts: writeChecked(form, 'email_alerts'),
      ...(form.has('is_paused') ? { is_paused: writeChecked(form, 'is_paused') } : {}),
    },
    { assertions: readJsonField(JSON.stringify(assertionsOfRows(assertions))) },
  );
  const [named, change] = [readQueueName(fields), readQueueChange(fields)];
  if (named.ok && change.ok && Object.keys(alerts.errors).length === 0) {
    const withAlerts = { ...change.input, alertSettings: alerts.settings };
    return { ok: true, formValues, input: { name: named.input, change: withAlerts } };
  }
  const errors = {
    ...(named.ok ? {} : errorsOf(named.errors)),
    ...(change.ok ? {} : errorsOf(change.errors)),
    ...alerts.errors,
  };
  return { ok: false, formValues, errors };
}

/** @param isMasked  tells which headers' values are replaced by the mask (§5.9) */
export function formValuesOfCron(cron: Cron, isMasked: IsSecretHeader): CronFormValues {
  return {
    name: cron.name,
    tags: cron.tags.join(', '),
    url: cron.url,
    cron_expression: cron.cronExpression,
    ends_at: cron.end.endsAt === null ? '' : formatUtcMinute(cron.end.endsAt),
    max_runs: cron.end.maxRuns === null ? '' : String(cron.end.maxRuns),
    method: cron.method,
    headers: writeHeaders(maskHeaders(cron.headers, isMasked)),
    payload: cron.payload ?? '',
    callback_url: cron.callbackUrl ?? '',
    timeout_seconds: String(cron.timeoutSeconds),
    alert_threshold: cron.alertThreshold === null ? '' : String(cron.alertThreshold),
    is_active: cron.isActive,
    assertions: rowsOfAssertions(cron.assertions),
    alerts: formValuesOfAlerts(cron.alertSettings),
    time_zone: null,
  };
}

export function formValuesOfQueue(
  queue: Omit<Queue, 'teamId' | 'id' | 'createdAt'>,
): QueueFormValues {
  return {
    queue: queue.name,
    tags: queue.tags.join(', '),
    timeout_seconds: String(queue.timeoutSeconds),
    retries_enabled: queue.retriesEnabled,
    retry_schedule: formatRetrySchedule(queue.retrySchedule),
    concurrency_limit: queue.concurrencyLimit === null ? '' : String(queue.concurrencyLimit),
    rate: queue.rate === null ? '' : formatRate(queue.rate),
    email_alerts: queue.emailAlerts,
    dead_letter_days: String(queue.deadLetterDays),
    is_paused: queue.isPaused,
    assertions: rowsOfAssertions(queue.assertions),
    alerts: formValuesOfAlerts(queue.alertSettings),
  };
}

/** @param draft  a draft of a job without its secrets; null values become the mask */
export function formValuesOfDraft(draft: JobDraft): JobFormValues {
  return {
    queue: draft.queue,
    url: draft.url,
    method: draft.method,
    headers: writeHeaders(draft.headers.map(({ name, value }) => [name, value ?? mask])),
    payload: draft.payload,
    callback_url: draft.callbackUrl,
    delay: '0',
    scheduled_at: '',
  };
}

/** The values of forms: texts as typed, so that nothing is lost if something is wrong. */
import { LIMITS } from '#domain/limits';
import { type Assertion, textsOfAssertion } from '#domain/assertion';
import type { HeaderList } from '#domain/exchange';
import type { IsSecretHeader } from '#domain/secret-headers';
import { type AlertFormValues, noAlertFormValues } from '../alerts/alert-form-values.ts';
import type { FieldErrors } from '../services.ts';

export type AssertionRow = { kind: Assertion['kind'] | ''; path: string; value: string };

export type RequestFormValues = {
  url: string;
  method: string;
  /** One `Name: value` per line. */
  headers: string;
  payload: string;
  callback_url: string;
};

export type CronFormValues = RequestFormValues & {
  name: string;
  /** Separated by commas. */
  tags: string;
  cron_expression: string;
  ends_at: string;
  max_runs: string;
  timeout_seconds: string;
  alert_threshold: string;
  is_active: boolean;
  assertions: AssertionRow[];
  alerts: AlertFormValues;
  /** What the next runs are shown in beside UTC; it is not stored. Null: the viewer's own. */
  time_zone: string | null;
};

export type JobFormValues = RequestFormValues & {
  queue: string;
  delay: string;
  /** In UTC, in the format of the field. Only for a waiting job that is edited, which has no delay. */
  scheduled_at: string;
};

export type QueueFormValues = {
  queue: string;
  /** Separated by commas. */
  tags: string;
  timeout_seconds: string;
  retries_enabled: boolean;
  retry_schedule: string;
  concurrency_limit: string;
  rate: string;
  email_alerts: boolean;
  dead_letter_days: string;
  is_paused: boolean;
  assertions: AssertionRow[];
  alerts: AlertFormValues;
};

/** A request to try a queue's settings with. */
export type TestRequest = { method: string; url: string };

export const noTestRequest: TestRequest = { method: 'GET', url: '' };

/** The result of reading a form: what was typed, and either its input or what is wrong with it. */
export type FormReading<Values, Input> =
  | { ok: true; formValues: Values; input: Input }
  | { ok: false; formValues: Values; errors: FieldErrors };

export const emptyCron: CronFormValues = {
  name: '',
  tags: '',
  url: '',
  cron_expression: '',
  ends_at: '',
  max_runs: '',
  method: 'GET',
  headers: '',
  payload: '',
  callback_url: '',
  timeout_seconds: String(LIMITS.timeoutSeconds.initial),
  alert_threshold: '',
  is_active: true,
  assertions: [],
  alerts: noAlertFormValues,
  time_zone: null,
};

export const emptyJob: JobFormValues = {
  queue: '',
  url: '',
  method: 'POST',
  headers: '',
  payload: '',
  callback_url: '',
  delay: '0',
  scheduled_at: '',
};

export function rowsOfAssertions(assertions: readonly Assertion[]): AssertionRow[] {
  return assertions.map((assertion) => {
    return { kind: assertion.kind, ...textsOfAssertion(assertion) };
  });
}

/** Stands for a value that is not shown. No header can carry it, so it is never sent by mistake. */
export const mask = '••••••••';

export function maskHeaders(headers: HeaderList, isSecretHeader: IsSecretHeader): HeaderList {
  return headers.map(([name, value]) => [name, isSecretHeader(name) ? mask : value]);
}

export function writeHeaders(headers: HeaderList): string {
  return headers.map(([name, value]) => `${name}: ${value}`).join('\n');
}

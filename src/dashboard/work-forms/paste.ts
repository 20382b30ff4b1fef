/** Fills a form from a pasted command: a curl command, or a crontab line that calls curl or wget. */
import { looksLikeCrontab, parseCrontabLine, parseCurl, type PastedRequest } from '#domain/paste';
import type { CronFormValues, JobFormValues, RequestFormValues } from './form-values.ts';
import { writeHeaders } from './form-values.ts';

/** The pasted text, and either why it cannot be read or what was left out or changed. */
export type Pasted = { text: string; problem?: string; notes?: string[] };

type Filled<Values> = { formValues: Values; pasted: Pasted };

const filled = 'Look the fields over before saving.';

export function fillCronFromPaste(
  text: string,
  formValues: CronFormValues,
): Filled<CronFormValues> {
  if (looksLikeCrontab(text)) {
    const read = parseCrontabLine(text);
    if (read.kind === 'error') return { formValues, pasted: { text, problem: read.text } };
    const { draft, notes } = read;
    return {
      formValues: {
        ...formValues,
        ...requestOf(draft),
        name: formValues.name || draft.name,
        cron_expression: draft.cronExpression,
        ...timeoutOf(draft),
      },
      pasted: { text, notes: [...notes, filled] },
    };
  }
  const read = parseCurl(text);
  if (read.kind === 'error') return { formValues, pasted: { text, problem: read.text } };
  return {
    formValues: { ...formValues, ...requestOf(read.draft), ...timeoutOf(read.draft) },
    pasted: { text, notes: [...read.notes, filled] },
  };
}

/** Fills a job's form. A job runs once, with its queue's timeout, so only the command of a crontab line is used. */
export function fillJobFromPaste(text: string, formValues: JobFormValues): Filled<JobFormValues> {
  const read = looksLikeCrontab(text) ? parseCrontabLine(text) : parseCurl(text);
  if (read.kind === 'error') return { formValues, pasted: { text, problem: read.text } };
  const notes = looksLikeCrontab(text)
    ? ['The schedule is left out: a job runs once.', filled]
    : [...read.notes, filled];
  return { formValues: { ...formValues, ...requestOf(read.draft) }, pasted: { text, notes } };
}

function requestOf(draft: PastedRequest): Omit<RequestFormValues, 'callback_url'> {
  return {
    url: draft.url,
    method: draft.method,
    headers: writeHeaders(draft.headers),
    payload: draft.payload,
  };
}

function timeoutOf({ timeoutSeconds }: PastedRequest): { timeout_seconds?: string } {
  return timeoutSeconds === null ? {} : { timeout_seconds: String(timeoutSeconds) };
}

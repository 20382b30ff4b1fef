/** Fills a form from a pasted command: a curl command, or a crontab line that calls curl or wget. */
import { looksLikeCrontab, parseCrontabLine, parseCurl, type PastedRequest } from '#domain/paste';
import type { CronTyped, JobTyped, RequestTyped } from './typed.ts';
import { writeHeaders } from './typed.ts';

/** What was pasted, and either why it can't be read or what was left out or changed on the way. */
export type Pasted = { text: string; problem?: string; notes?: string[] };

type Filled<Typed> = { typed: Typed; pasted: Pasted };

const filled = 'Look the fields over before saving.';

export function fillCronFromPaste(text: string, typed: CronTyped): Filled<CronTyped> {
  if (looksLikeCrontab(text)) {
    const read = parseCrontabLine(text);
    if (read.kind === 'error') return { typed, pasted: { text, problem: read.text } };
    const { draft, notes } = read;
    return {
      typed: {
        ...typed,
        ...requestOf(draft),
        name: typed.name || draft.name,
        cron_expression: draft.cronExpression,
        ...timeoutOf(draft),
      },
      pasted: { text, notes: [...notes, filled] },
    };
  }
  const read = parseCurl(text);
  if (read.kind === 'error') return { typed, pasted: { text, problem: read.text } };
  return {
    typed: { ...typed, ...requestOf(read.draft), ...timeoutOf(read.draft) },
    pasted: { text, notes: [...read.notes, filled] },
  };
}

/** A job runs once, by its queue's timeout: of a crontab line only the command counts. */
export function fillJobFromPaste(text: string, typed: JobTyped): Filled<JobTyped> {
  const read = looksLikeCrontab(text) ? parseCrontabLine(text) : parseCurl(text);
  if (read.kind === 'error') return { typed, pasted: { text, problem: read.text } };
  const notes = looksLikeCrontab(text)
    ? ['The schedule is left out: a job runs once.', filled]
    : [...read.notes, filled];
  return { typed: { ...typed, ...requestOf(read.draft) }, pasted: { text, notes } };
}

function requestOf(draft: PastedRequest): Omit<RequestTyped, 'callback_url'> {
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

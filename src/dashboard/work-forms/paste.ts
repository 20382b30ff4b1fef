import {
  looksLikeCrontab,
  parseCrontabLine,
  parseCurl,
  type PastedRequest,
} from '#domain/http/paste';
import { textIn, type Values } from '../forms/values.ts';
import { writeHeaders } from './header-lines.ts';

export type Pasted = { problem?: string; notes?: string[] };

type Filled = { values: Values; pasted: Pasted };

const filled = 'Check the fields before you save.';

/** @param isJob uses only the command of a crontab line */
export function fillFromPaste(values: Values, isJob: boolean): Filled {
  const text = textIn(values, 'paste') ?? '';
  const fill = ({ url, method, headers, payload }: PastedRequest) => {
    return { ...values, url, method, headers: writeHeaders(headers), payload };
  };
  const timeoutOf = ({ timeoutSeconds }: PastedRequest): Values =>
    timeoutSeconds === null || isJob ? {} : { timeout_seconds: String(timeoutSeconds) };
  if (!looksLikeCrontab(text)) {
    const read = parseCurl(text);
    if (read.kind === 'error') return { values, pasted: { problem: read.text } };
    const { draft, notes } = read;
    return {
      values: { ...fill(draft), ...timeoutOf(draft) },
      pasted: { notes: [...notes, filled] },
    };
  }
  const read = parseCrontabLine(text);
  if (read.kind === 'error') return { values, pasted: { problem: read.text } };
  const { draft, notes } = read;
  if (isJob) {
    const left = 'The schedule is left out: a job runs once.';
    return { values: fill(draft), pasted: { notes: [left, filled] } };
  }
  const name = textIn(values, 'name') || draft.name;
  const schedule = { name, cron_expression: draft.cronExpression };
  return {
    values: { ...fill(draft), ...schedule, ...timeoutOf(draft) },
    pasted: { notes: [...notes, filled] },
  };
}

/** What the buttons above the ticked crons do, and what is said of it. */
import { checkHeaders } from '#work/cron-actions';
import { readChecked, readText } from '../forms/read-form.ts';
import type { CronAct, CronsActed, CronsChosen, CronSearch, FieldErrors } from '../services.ts';
import { countOf } from '../words/amounts.ts';

const simple = ['start', 'pause', 'run', 'delete'] as const;
const prefix = 'all-';

/** Of the buttons above the table; those in its rows have no prefix. */
export const cronIntents = {
  start: 'all-start',
  pause: 'all-pause',
  run: 'all-run',
  delete: 'all-delete',
  /** Asks for the header first. */
  header: 'all-header',
  setHeader: 'all-set-header',
} as const;

export type HeaderTyped = { name: string; value: string; onlyWhereSet: boolean };

/** What was sent: something to do, a header to ask for, or nothing that belongs here. */
export type CronBulkForm =
  | { kind: 'act'; act: CronAct }
  | { kind: 'ask'; typed: HeaderTyped; errors?: FieldErrors }
  | { kind: 'other' };

export function readCronBulk(form: FormData): CronBulkForm {
  const intent = readText(form, 'intent');
  if (intent === cronIntents.header) {
    return { kind: 'ask', typed: { name: '', value: '', onlyWhereSet: true } };
  }
  if (intent === cronIntents.setHeader) return readHeader(form);
  const known = simple.find((kind) => intent === `${prefix}${kind}`);
  return known ? { kind: 'act', act: { kind: known } } : { kind: 'other' };
}

function readHeader(form: FormData): CronBulkForm {
  const typed: HeaderTyped = {
    name: readText(form, 'header_name').trim(),
    value: readText(form, 'header_value'),
    onlyWhereSet: readChecked(form, 'only_where_set'),
  };
  const refusal =
    typed.name === '' ? 'A name is required.' : checkHeaders([[typed.name, typed.value]]);
  if (refusal !== null) return { kind: 'ask', typed, errors: { header_name: [refusal] } };
  return { kind: 'act', act: { kind: 'header', ...typed } };
}

/** Ticked rows, or all that match; null where the filter can't be read or nothing is ticked. */
export function readChosen(form: FormData, search: CronSearch | null): CronsChosen | null {
  if (form.get('all') === '1') return search && { search };
  const ids = form.getAll('id').filter((id) => typeof id === 'string');
  return ids.length === 0 ? null : { ids };
}

const done: Readonly<Record<CronAct['kind'], readonly [one: string, many: string]>> = {
  start: ['cron is started', 'crons are started'],
  pause: ['cron is paused', 'crons are paused'],
  run: ['cron runs now, beside its schedule', 'crons run now, beside their schedules'],
  delete: ['cron is deleted', 'crons are deleted'],
  header: ['cron has the header', 'crons have the header'],
};

export function describeActed(kind: CronAct['kind'], acted: CronsActed): string {
  const [one, many] = done[kind];
  const first = `${countOf(acted.done.length, one, many)}.`;
  const more = acted.hasMore ? ' There are more: do it again for the rest.' : '';
  return `${first}${more}`;
}

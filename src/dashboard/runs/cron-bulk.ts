import { readText } from '../forms/values.ts';
import type { CronAct, CronsActed, CronsChosen, SourceSearch } from '../services.ts';
import { countOf } from '../words/amounts.ts';

/** Those in rows have no prefix. */
export const cronIntents = {
  start: 'all-start',
  pause: 'all-pause',
  run: 'all-run',
  delete: 'all-delete',
} as const satisfies Record<CronAct, string>;

/** Null for other forms. */
export function readCronAct(form: FormData): CronAct | null {
  const intent = readText(form, 'intent');
  const acts = Object.keys(cronIntents) as CronAct[];
  return acts.find((act) => cronIntents[act] === intent) ?? null;
}

/** Null if the filter is invalid or nothing is ticked. */
export function readChosen(form: FormData, search: SourceSearch | null): CronsChosen | null {
  if (form.get('all') === '1') return search && { search };
  const ids = form.getAll('id').filter((id) => typeof id === 'string');
  return ids.length === 0 ? null : { ids };
}

const done: Readonly<Record<CronAct, readonly [one: string, many: string]>> = {
  start: ['cron is started', 'crons are started'],
  pause: ['cron is paused', 'crons are paused'],
  run: [
    'cron runs now, in addition to its schedule',
    'crons run now, in addition to their schedules',
  ],
  delete: ['cron is deleted', 'crons are deleted'],
};

export function describeActed(act: CronAct, acted: CronsActed): string {
  const [one, many] = done[act];
  const count = acted.done.length;
  const first = count === 0 ? 'No cron was changed.' : `${countOf(count, one, many)}.`;
  const more = acted.hasMore ? ' More crons match. Repeat the action for the rest.' : '';
  return `${first}${more}`;
}

/** What the buttons above the ticked crons do, and the messages about it. */
import { checkHeaders } from '#work/cron-actions';
import { readOneTag } from '#work/tag-input';
import { readChecked, readText } from '../forms/read-form.ts';
import type { CronAct, CronsActed, CronsChosen, CronSearch, FieldErrors } from '../services.ts';
import { countOf } from '../words/amounts.ts';

const simple = ['start', 'pause', 'run', 'delete', 'unmute'] as const;
const prefix = 'all-';

/** The intents of the buttons above the table. Those in its rows have no prefix. */
export const cronIntents = {
  start: 'all-start',
  pause: 'all-pause',
  run: 'all-run',
  delete: 'all-delete',
  unmute: 'all-unmute',
  /** These ask first: for the header, the tag, the time. */
  header: 'all-header',
  addTag: 'all-add-tag',
  removeTag: 'all-remove-tag',
  mute: 'all-mute',
  /** And these are what their forms send. */
  setHeader: 'all-set-header',
  setAddedTag: 'all-set-added-tag',
  setRemovedTag: 'all-set-removed-tag',
  setMute: 'all-set-mute',
} as const;

export type HeaderTyped = { name: string; value: string; onlyWhereSet: boolean };

/** What is asked for before it is done, with what was typed so far. */
export type Asked =
  | { about: 'header'; typed: HeaderTyped }
  | { about: 'add-tag' | 'remove-tag'; tag: string }
  | { about: 'mute' };

/** What was sent: something to do, something to ask for, or nothing that belongs here. */
export type CronBulkForm =
  | { kind: 'act'; act: CronAct }
  | { kind: 'ask'; asked: Asked; errors?: FieldErrors }
  | { kind: 'other' };

/** How long crons may be muted, in hours. */
export const muteChoices = [
  { value: '1', text: '1 hour' },
  { value: '8', text: '8 hours' },
  { value: '24', text: '1 day' },
  { value: '168', text: '7 days' },
  { value: '720', text: '30 days' },
];

export function readCronBulk(form: FormData): CronBulkForm {
  const intent = readText(form, 'intent');
  switch (intent) {
    case cronIntents.header:
      return ask({ about: 'header', typed: { name: '', value: '', onlyWhereSet: true } });
    case cronIntents.addTag:
      return ask({ about: 'add-tag', tag: '' });
    case cronIntents.removeTag:
      return ask({ about: 'remove-tag', tag: '' });
    case cronIntents.mute:
      return ask({ about: 'mute' });
    case cronIntents.setHeader:
      return readHeader(form);
    case cronIntents.setAddedTag:
      return readTagForm(form, 'add-tag');
    case cronIntents.setRemovedTag:
      return readTagForm(form, 'remove-tag');
    case cronIntents.setMute:
      return readMute(form);
    default: {
      const known = simple.find((kind) => intent === `${prefix}${kind}`);
      return known ? { kind: 'act', act: { kind: known } } : { kind: 'other' };
    }
  }
}

const ask = (asked: Asked): CronBulkForm => ({ kind: 'ask', asked });

function readHeader(form: FormData): CronBulkForm {
  const typed: HeaderTyped = {
    name: readText(form, 'header_name').trim(),
    value: readText(form, 'header_value'),
    onlyWhereSet: readChecked(form, 'only_where_set'),
  };
  const refusal =
    typed.name === '' ? 'A name is required.' : checkHeaders([[typed.name, typed.value]]);
  if (refusal !== null) {
    return { kind: 'ask', asked: { about: 'header', typed }, errors: { header_name: [refusal] } };
  }
  return { kind: 'act', act: { kind: 'header', ...typed } };
}

function readTagForm(form: FormData, about: 'add-tag' | 'remove-tag'): CronBulkForm {
  const tag = readText(form, 'tag').trim();
  const read = tag === '' ? { error: 'A tag is required.' } : readOneTag(tag);
  if ('error' in read) return { kind: 'ask', asked: { about, tag }, errors: { tag: [read.error] } };
  return { kind: 'act', act: { kind: about, tag: read.tag } };
}

function readMute(form: FormData): CronBulkForm {
  const given = readText(form, 'hours');
  const known = muteChoices.find(({ value }) => value === given);
  if (!known) {
    return { kind: 'ask', asked: { about: 'mute' }, errors: { hours: ['Choose one of these.'] } };
  }
  return { kind: 'act', act: { kind: 'mute', hours: Number(known.value) } };
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
  'add-tag': ['cron has the tag now', 'crons have the tag now'],
  'remove-tag': ['cron has the tag no more', 'crons have the tag no more'],
  mute: [
    'cron is muted: it runs, and nobody is told',
    'crons are muted: they run, and nobody is told',
  ],
  unmute: ['cron is muted no more', 'crons are muted no more'],
};

export function describeActed(kind: CronAct['kind'], acted: CronsActed): string {
  const [one, many] = done[kind];
  const first = `${countOf(acted.done.length, one, many)}.`;
  const more = acted.hasMore ? ' There are more: do it again for the rest.' : '';
  return `${first}${more}`;
}

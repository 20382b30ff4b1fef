import { Link } from 'react-router';
import type { BulkActions } from '../lists/DataTable.tsx';
import { Submit } from '../parts/Button.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { BoundedCount, CronAct, CronsActed, CronsChosen, SourceSearch } from '../services.ts';
import { countOf } from '../words/amounts.ts';
import { readText } from '../forms/values.ts';

export function cronBulk(matching: BoundedCount): BulkActions {
  return {
    matching,
    buttons: ({ text }) => (
      <>
        <BulkButton value={cronIntents.pause} word={`Pause (${text})`} />
        <BulkButton value={cronIntents.start} word={`Start (${text})`} />
        <MoreActions of="selected crons">
          <button type="submit" form="bulk" name="intent" value={cronIntents.run}>
            Run now
          </button>
          <ConfirmDialog
            word="Delete"
            question={`Delete the crons that are chosen (${text})?`}
            fields={{ intent: cronIntents.delete }}
            form="bulk"
          >
            They never run again, and their history is deleted too. This can’t be undone. To stop
            them for a while, pause them.
          </ConfirmDialog>
        </MoreActions>
      </>
    ),
  };
}

function BulkButton({ value, word }: { value: string; word: string }) {
  return <Submit intent={value}>{word}</Submit>;
}

const MOST_NAMED = 20;

/** Stays until it is dismissed. */
export function CronsActedNotice({ act, acted }: { act: CronAct; acted: CronsActed }) {
  const { unchanged } = acted;
  const isAll = unchanged.length === 0;
  return (
    <Notice kind={isAll ? 'done' : 'note'} title={describeActed(act, acted)} canDismiss>
      {isAll ? null : (
        <>
          {countOf(unchanged.length, 'cron was', 'crons were')} skipped:
          <ul>
            {unchanged.slice(0, MOST_NAMED).map(({ id, name, why }) => (
              <li key={id}>
                <Link to={`/crons/${id}`}>{name}</Link>: {why}
              </li>
            ))}
            {unchanged.length > MOST_NAMED ? <li>{unchanged.length - MOST_NAMED} more</li> : null}
          </ul>
        </>
      )}
    </Notice>
  );
}

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

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
        <Submit intent="all-pause">{`Pause (${text})`}</Submit>
        <Submit intent="all-start">{`Start (${text})`}</Submit>
        <MoreActions of="selected crons">
          <button type="submit" form="bulk" name="intent" value="all-run">
            Run now
          </button>
          <ConfirmDialog
            word="Delete"
            question={`Delete the crons that are chosen (${text})?`}
            fields={{ intent: 'all-delete' }}
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

const MOST_NAMED = 20;

/** Stays until it is dismissed. */
export function CronsActedNotice({ act, acted }: { act: CronAct; acted: CronsActed }) {
  const { done, hasMore, unchanged } = acted;
  const title =
    done.length === 0 ? 'No cron was changed.' : `${countOf(done.length, ...words[act])}.`;
  const more = hasMore ? ' More crons match. Repeat the action for the rest.' : '';
  const isAll = unchanged.length === 0;
  return (
    <Notice kind={isAll ? 'done' : 'note'} title={title + more} canDismiss>
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

/** Null for other forms: intents of rows have no prefix. */
export function readCronAct(form: FormData): CronAct | null {
  const acts = Object.keys(words) as CronAct[];
  return acts.find((act) => readText(form, 'intent') === `all-${act}`) ?? null;
}

/** Null if the filter is invalid or nothing is ticked. */
export function readChosen(form: FormData, search: SourceSearch | null): CronsChosen | null {
  if (form.get('all') === '1') return search && { search };
  const ids = form.getAll('id').filter((id) => typeof id === 'string');
  return ids.length === 0 ? null : { ids };
}

const words: Readonly<Record<CronAct, readonly [one: string, many: string]>> = {
  start: ['cron is started', 'crons are started'],
  pause: ['cron is paused', 'crons are paused'],
  run: [
    'cron runs now, in addition to its schedule',
    'crons run now, in addition to their schedules',
  ],
  delete: ['cron is deleted', 'crons are deleted'],
};

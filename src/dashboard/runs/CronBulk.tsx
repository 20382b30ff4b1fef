import { Link } from 'react-router';
import type { BulkActions } from '../lists/DataTable.tsx';
import { Submit } from '../parts/Button.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { BoundedCount, CronAct, CronsActed } from '../services.ts';
import { countOf } from '../words/amounts.ts';
import { cronIntents, describeActed } from './cron-bulk.ts';

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

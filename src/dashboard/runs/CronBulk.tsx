import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import { CheckField, TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import type { BulkActions } from '../lists/DataTable.tsx';
import { Button } from '../parts/Button.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { MoreActions } from '../parts/MoreActions.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Section } from '../parts/Section.tsx';
import type { BoundedCount, CronAct, CronsActed, FieldErrors } from '../services.ts';
import { countOf } from '../words/amounts.ts';
import { cronIntents, describeActed, type HeaderTyped } from './cron-bulk.ts';

/** What can be done to the ticked crons. */
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
          <button type="submit" form="bulk" name="intent" value={cronIntents.header}>
            Set a header
          </button>
          <ConfirmDialog
            word="Delete"
            question={`Delete the crons that are chosen (${text})?`}
            fields={{ intent: cronIntents.delete }}
            form="bulk"
          >
            They never run again, and their history goes with them. This can’t be undone. To stop
            them for a while, pause them.
          </ConfirmDialog>
        </MoreActions>
      </>
    ),
  };
}

function BulkButton({ value, word }: { value: string; word: string }) {
  return (
    <Button type="submit" name="intent" value={value} variant="default">
      {word}
    </Button>
  );
}

/** Which crons were chosen, to be sent once more. */
export type ChosenFields = { all: boolean; ids: readonly string[] };

/** Asks which header all of them get. */
export function HeaderOfMany({
  typed,
  errors,
  chosen,
}: {
  typed: HeaderTyped;
  errors?: FieldErrors | undefined;
  chosen: ChosenFields;
}) {
  const { pathname, search } = useLocation();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector<HTMLElement>('input:not([type=hidden])')?.focus(), []);
  const what = chosen.all ? 'all crons that match' : countOf(chosen.ids.length, 'cron', 'crons');
  return (
    <div ref={box}>
      <Section
        title={`Set a header in ${what}`}
        note="One that is there under this name, in any case, is replaced. All others stay."
      >
        <Form noValidate>
          {chosen.all ? <input type="hidden" name="all" value="1" /> : null}
          {chosen.ids.map((id) => (
            <input key={id} type="hidden" name="id" value={id} />
          ))}
          <TextField
            name="header_name"
            label="Header"
            autoComplete="off"
            required
            defaultValue={typed.name}
            placeholder="Authorization"
            errors={errors}
          />
          <TextField
            name="header_value"
            label="Value"
            autoComplete="off"
            defaultValue={typed.value}
            errors={errors}
          />
          <CheckField
            name="only_where_set"
            label="Only where it is set already"
            description="Untick it to add the header to the others, too."
            defaultChecked={typed.onlyWhereSet}
          />
          <div className="row">
            <Button type="submit" name="intent" value={cronIntents.setHeader}>
              Set the header
            </Button>
            <Link to={pathname + search}>Cancel</Link>
          </div>
        </Form>
      </Section>
    </div>
  );
}

const MOST_NAMED = 20;

/** What was done, and what was not and why. */
export function CronsActedNotice({ kind, acted }: { kind: CronAct['kind']; acted: CronsActed }) {
  const { unchanged } = acted;
  const isAll = unchanged.length === 0;
  return (
    <Notice kind={isAll ? 'done' : 'note'} title={describeActed(kind, acted)}>
      {isAll ? null : (
        <>
          {countOf(unchanged.length, 'was', 'were')} left as it is:
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

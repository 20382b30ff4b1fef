import { Link } from 'react-router';
import { RUN_FILTER_CHARACTERS } from '#domain/run-filter';
import { TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { useMayWork } from '../page/may-change.ts';
import { Button } from '../parts/Button.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { Glyph } from '../parts/Glyph.tsx';
import { Menu } from '../parts/Menu.tsx';
import type { FieldErrors, RunFilter } from '../services.ts';
import classes from './SavedFilters.module.css';

/** The team's filters of the list of runs, by name. */
export function SavedFilters({
  saved,
  kept,
}: {
  saved: readonly RunFilter[];
  kept: string | null;
}) {
  if (saved.length === 0) return null;
  const button = (
    <>
      Saved filters <Glyph name="down" size={14} />
    </>
  );
  return (
    <Menu label="Saved filters" button={button} isAtEnd>
      {saved.map(({ id, name, query }) => (
        <Link
          key={id}
          to={`/runs?${query}`}
          aria-current={query === kept ? 'page' : undefined}
          title={name}
        >
          {name}
        </Link>
      ))}
    </Menu>
  );
}

export type KeepAnswer = { name: string; errors: FieldErrors };

/** Saves what the list is narrowed to, or renames or deletes the filter that it is. */
export function KeepFilter({
  saved,
  kept,
  answer,
}: {
  saved: readonly RunFilter[];
  /** What would be saved; null where the list is not narrowed, or by times alone. */
  kept: string | null;
  answer: KeepAnswer | undefined;
}) {
  const mayWork = useMayWork();
  const current = saved.find(({ query }) => query === kept);
  if (kept === null || !mayWork) return null;
  return (
    <details className={classes.keep} open={answer !== undefined} key={current?.id ?? kept}>
      <summary>{current ? `Saved as “${current.name}”` : 'Save this filter'}</summary>
      <div className={classes.form}>
        <Form className={classes.form}>
          <input type="hidden" name="id" value={current?.id ?? ''} />
          <div className={classes.name}>
            <TextField
              name="name"
              label={current ? 'New name' : 'Name'}
              description={
                current ? undefined : 'One of the same name is replaced. Times are not saved.'
              }
              defaultValue={answer?.name ?? current?.name ?? ''}
              errors={answer?.errors}
              maxLength={RUN_FILTER_CHARACTERS}
              required
              autoComplete="off"
            />
          </div>
          <Button type="submit" name="intent" value={current ? 'rename' : 'save'} variant="default">
            {current ? 'Rename' : 'Save filter'}
          </Button>
        </Form>
        {current ? (
          <ConfirmDialog
            word="Delete"
            question={`Delete the filter “${current.name}”?`}
            fields={{ intent: 'delete', id: current.id }}
          >
            The whole team has it. No run is deleted.
          </ConfirmDialog>
        ) : null}
      </div>
    </details>
  );
}

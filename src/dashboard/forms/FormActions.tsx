import { Button, ButtonLink } from '../parts/Button.tsx';
import { ErrorSummary } from './ErrorSummary.tsx';
import type { FieldErrors } from '../services.ts';
import classes from './Form.module.css';

/** A hidden first button that saves: Enter in a field presses a form's first button. */
export function EnterSaves() {
  return (
    <button
      type="submit"
      name="intent"
      value="save"
      className="sr-only"
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}

type FormActionsProps = { word: string; cancelTo: string; errors: FieldErrors | undefined };

/** The end of a form: its errors, and the buttons to save, test and cancel. */
export function FormActions({ word, cancelTo, errors }: FormActionsProps) {
  return (
    <div className={classes.actions}>
      <ErrorSummary errors={errors} />
      <Button type="submit" name="intent" value="save">
        {word}
      </Button>
      <Button type="submit" name="intent" value="test" variant="default">
        Test run
      </Button>
      <ButtonLink to={cancelTo} variant="quiet">
        Cancel
      </ButtonLink>
    </div>
  );
}

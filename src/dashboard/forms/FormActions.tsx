import { Button } from '@mantine/core';
import { Link } from 'react-router';
import classes from './Form.module.css';

/** Enter in a field presses a form's first button, which must be the one that saves. */
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

/** The buttons at the end of a form: save, try, leave. */
export function FormActions({ word, cancelTo }: { word: string; cancelTo: string }) {
  return (
    <div className={classes.actions}>
      <Button type="submit" name="intent" value="save">
        {word}
      </Button>
      <Button type="submit" name="intent" value="test" variant="default">
        Test run
      </Button>
      <Button component={Link} to={cancelTo} variant="quiet">
        Cancel
      </Button>
    </div>
  );
}

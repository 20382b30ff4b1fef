import { Button } from '../parts/Button.tsx';
import { LinesField } from '../forms/Field.tsx';
import { Notice } from '../parts/Notice.tsx';
import classes from '../forms/Form.module.css';

/** A field for a curl command or a crontab line. The server reads it and fills the form below. */
export function PasteBox({
  text,
  problem,
  notes,
  example,
}: {
  text?: string | undefined;
  problem?: string | undefined;
  /** What was left out or changed on the way. */
  notes?: readonly string[] | undefined;
  example: string;
}) {
  return (
    <details className={classes.paste} open={problem !== undefined || (notes?.length ?? 0) > 0}>
      <summary>Paste to create</summary>
      <div>
        {problem ? <Notice kind="failed">{problem}</Notice> : null}
        {notes && notes.length > 0 ? (
          <Notice kind="note" title="The form is filled.">
            {notes.join(' ')}
          </Notice>
        ) : null}
        <LinesField
          name="paste"
          label="Command"
          description="A curl command, or a crontab line that calls curl or wget. It is read, never run."
          mono
          rows={3}
          placeholder={example}
          defaultValue={text ?? ''}
        />
        <Button type="submit" name="intent" value="paste" variant="default">
          Fill the form
        </Button>
      </div>
    </details>
  );
}

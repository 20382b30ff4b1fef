import { LinesField } from '../forms/Field.tsx';
import classes from '../forms/Form.module.css';
import { Submit } from '../parts/Button.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { Pasted } from './paste.ts';

type PasteBoxProps = { pasted?: Pasted | undefined; example: string };

/** The server reads it and fills the form. */
export function PasteBox({ pasted = {}, example }: PasteBoxProps) {
  const { problem, notes } = pasted;
  return (
    <details className={classes.paste} open={problem !== undefined || notes !== undefined}>
      <summary>Import from curl or crontab</summary>
      <div>
        {problem ? <Notice kind="failed">{problem}</Notice> : null}
        {notes ? (
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
        />
        <Submit intent="paste">Fill the form</Submit>
      </div>
    </details>
  );
}

import { type ReactNode, useState } from 'react';
import { useLocation } from 'react-router';
import { LinesField } from '../forms/Field.tsx';
import { Form, useField, useFormAnswer } from '../forms/Form.tsx';
import { EnterSaves, FormActions } from '../forms/FormActions.tsx';
import classes from '../forms/Form.module.css';
import type { Values } from '../forms/values.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { Submit } from '../parts/Button.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { ShownTest } from '../runs/run-text.ts';
import { TestOutcome } from '../runs/TestOutcome.tsx';
import type { Pasted } from './paste.ts';

type RequestFormProps = {
  title: string;
  /** To cancel, too. */
  parent: { to: string; text: string };
  note?: ReactNode;
  notice?: ReactNode;
  values: Values;
  /** The id of the original, of a copy. */
  from?: string | null;
  /** A command that can be imported; null: there is no import. */
  example?: string | null;
  word: string;
  /** Unless there is the outcome of a test. */
  answer?: ReactNode;
  children: ReactNode;
};

/** The id of the form, for buttons outside. */
export const requestForm = 'request-form';

/** The form's answer if masked values are shown in it. */
export type Revealing = { revealed: { note: string } };

type Answer = Revealing & { test: ShownTest; pasted: Pasted };

/** The page of a form of a cron, queue or job. */
export function RequestForm({ title, parent, note, notice, values, ...props }: RequestFormProps) {
  const { from = null, example = null, word, answer, children } = props;
  const { test, pasted, revealed } = useFormAnswer<Answer>();
  const { pathname, search } = useLocation();
  const filled = pasted?.notes ? pasted : revealed;
  const [fill, setFill] = useState({ filled, count: 0 });
  if (filled && filled !== fill.filled) setFill({ filled, count: fill.count + 1 });
  return (
    <>
      <PageHeader title={title} parent={parent} note={note} />
      {notice}
      {/* With another key, fields with typed text are filled again: by the server, and at another address. */}
      <Form id={requestForm} key={`${fill.count} ${pathname}${search}`} noValidate values={values}>
        <EnterSaves />
        {from ? <input type="hidden" name="from" value={from} /> : null}
        {example ? <ImportBox {...{ pasted, example }} /> : null}
        {children}
        {test ? <TestOutcome outcome={test} /> : answer}
        <FormActions word={word} cancelTo={parent.to} />
      </Form>
    </>
  );
}

/** It stays open or closed, whatever the form answers next. */
function ImportBox({ pasted, example }: { pasted: Pasted | undefined; example: string }) {
  const { value: text } = useField('paste');
  const [isOpen, setOpen] = useState(pasted !== undefined || Boolean(text));
  return (
    <details
      className={classes.paste}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>Import from curl or crontab</summary>
      <div className="stack">
        {pasted?.problem ? <Notice kind="failed">{pasted.problem}</Notice> : null}
        {pasted?.notes ? (
          <Notice kind="note" title="The form is filled.">
            {pasted.notes.join(' ')}
          </Notice>
        ) : null}
        <LinesField
          name="paste"
          label="Command"
          description="A curl command, or a crontab line that calls curl or wget. It is read, never run."
          rows={3}
          placeholder={example}
        />
        {/* The server reads it. */}
        <Submit intent="paste">Fill the form</Submit>
      </div>
    </details>
  );
}

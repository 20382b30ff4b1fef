import { use, useId, type ReactNode } from 'react';
import { Form } from '../forms/Form.tsx';
import { useMaySend } from '../page/may-change.ts';
import { Button, Submit } from './Button.tsx';
import { InMenu, Popover } from './Popover.tsx';
import classes from './Overlays.module.css';

type ConfirmDialogProps = {
  /** The label of the button that opens the dialog, and of the one that confirms. */
  word: string;
  /** The question: `Delete the queue “mail”?` */
  question: string;
  /** The items that will be lost, and how many. */
  children: ReactNode;
  /** Fields that the form sends. */
  fields: Readonly<Record<string, string>>;
  /** Further controls of its form, or of a form of the page around it. */
  controls?: ReactNode;
  /** The address that the form is sent to; this page by default. */
  action?: string;
  variant?: 'danger' | 'default';
  /** The id of a form of the page (of a bulk action), which is then sent instead of the dialog's own form. */
  form?: string;
  /** For the row of a table. */
  isSmall?: boolean;
};

/**
 * A button whose action needs a second click: the first opens a dialog with the consequences. It has its own form
 * unless `form` names one, so it must not be inside another. In a menu its button is an entry.
 */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { word, question, fields, action, variant = 'danger', form, isSmall = false } = props;
  const id = useId();
  const menu = use(InMenu);
  if (!useMaySend(action)) return null;
  const answers = (
    <>
      {props.controls}
      <div className={`row end ${classes.answers}`}>
        {/* Cancelling also closes the menu that the question was opened from. */}
        <Button variant="default" popoverTarget={menu ?? id} popoverTargetAction="hide">
          Cancel
        </Button>
        {form ? (
          Object.entries(fields).map(([name, value]) => (
            <Button key={name} type="submit" {...{ form, name, value, variant }}>
              {word}
            </Button>
          ))
        ) : (
          <Submit variant={variant}>{word}</Submit>
        )}
      </div>
    </>
  );
  return (
    <>
      {menu === null ? (
        <Button variant={variant} popoverTarget={id} size={isSmall ? 'small' : undefined}>
          {word}
        </Button>
      ) : (
        <button type="button" popoverTarget={id} data-danger={variant === 'danger' || undefined}>
          {word}
        </button>
      )}
      <Popover id={id} role="dialog" aria-labelledby={`${id}-question`} className={classes.dialog}>
        <h2 id={`${id}-question`}>{question}</h2>
        <div className={classes.consequences}>{props.children}</div>
        {form ? (
          answers
        ) : (
          <Form {...(action && { action })} fields={fields}>
            {answers}
          </Form>
        )}
      </Popover>
    </>
  );
}

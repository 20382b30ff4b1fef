import { use, useId, type ReactNode } from 'react';
import { Form } from '../forms/Form.tsx';
import { useMaySend } from '../page/may-change.ts';
import { Button, Submit } from './Button.tsx';
import { InMenu, Popover } from './Popover.tsx';
import classes from './Overlays.module.css';

type ConfirmDialogProps = {
  /** Also of the button that confirms. */
  word: string;
  question: string;
  children: ReactNode;
  fields: Readonly<Record<string, string>>;
  controls?: ReactNode;
  action?: string;
  variant?: 'danger' | 'default';
  /** Of a form of the page (a bulk action) to send instead. */
  form?: string;
  isSmall?: boolean;
};

/**
 * The first click opens a dialog with the consequences. It has its own form unless `form`
 * names one, so it must not be inside another. In a menu its button is an entry.
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

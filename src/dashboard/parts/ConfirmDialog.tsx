import { Button, Submit } from './Button.tsx';
import { use, useId, type ReactNode } from 'react';
import { InMenu, useClosedByAnswer } from './closed-by-answer.ts';
import { Form } from '../forms/Form.tsx';
import { useMaySend } from '../page/may-change.ts';
import classes from './ConfirmDialog.module.css';

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
  /** How the opening button looks. */
  variant?: 'danger' | 'default';
  /** The id of a form of the page (of a bulk action), which is then sent instead of the dialog's own form. */
  form?: string;
  /** For the row of a table. */
  isSmall?: boolean;
};

/**
 * A button whose action needs a second click: the first opens a dialog with the consequences. The dialog is the
 * browser's own popover, so it opens and works without any script. It has its own form unless `form` names one, so it
 * must not be inside another. In a menu its button is an entry.
 */
export function ConfirmDialog({
  word,
  question,
  children,
  fields,
  controls = null,
  action,
  variant = 'danger',
  form,
  isSmall = false,
}: ConfirmDialogProps) {
  const id = useId();
  const ref = useClosedByAnswer();
  const maySend = useMaySend(action);
  if (!maySend) return null;
  const answer = (
    <>
      {controls}
      <DialogButtons id={id} word={word} fields={fields} variant={variant} form={form} />
    </>
  );
  return (
    <>
      <OpeningButton id={id} word={word} variant={variant} isSmall={isSmall} />
      <div
        ref={ref}
        id={id}
        popover="auto"
        role="dialog"
        aria-labelledby={`${id}-question`}
        className={classes.dialog}
      >
        <h2 id={`${id}-question`}>{question}</h2>
        <div className={classes.consequences}>{children}</div>
        {form ? (
          answer
        ) : (
          <Form {...(action ? { action } : {})}>
            {Object.entries(fields).map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            {answer}
          </Form>
        )}
      </div>
    </>
  );
}

type OpeningButtonProps = {
  id: string;
  word: string;
  variant: 'danger' | 'default';
  isSmall: boolean;
};

function OpeningButton({ id, word, variant, isSmall }: OpeningButtonProps) {
  return use(InMenu) === null ? (
    <Button type="button" variant={variant} popoverTarget={id} size={isSmall ? 'small' : undefined}>
      {word}
    </Button>
  ) : (
    <button type="button" popoverTarget={id} data-danger={variant === 'danger' || undefined}>
      {word}
    </button>
  );
}

type DialogButtonsProps = Pick<ConfirmDialogProps, 'word' | 'fields'> & {
  id: string;
  variant: 'danger' | 'default';
  form: string | undefined;
};

function DialogButtons({ id, word, fields, variant, form }: DialogButtonsProps) {
  // Cancelling the question also closes the menu that it was opened from.
  const leaves = use(InMenu) ?? id;
  return (
    <div className={`row end ${classes.answers}`}>
      <Button type="button" variant="default" popoverTarget={leaves} popoverTargetAction="hide">
        Cancel
      </Button>
      {form ? (
        Object.entries(fields).map(([name, value]) => (
          <Button key={name} type="submit" form={form} name={name} value={value} variant={variant}>
            {word}
          </Button>
        ))
      ) : (
        <Submit variant={variant}>{word}</Submit>
      )}
    </div>
  );
}

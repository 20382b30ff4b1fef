import {
  type ComponentProps,
  createContext,
  type ReactNode,
  use,
  useEffect,
  useId,
  useRef,
} from 'react';
import { Link, useNavigation } from 'react-router';
import { useMaySend } from '../page/may-change.ts';
import { Glyph } from './Glyph.tsx';
import classes from './Overlays.module.css';
import { Form } from '../forms/Form.tsx';
import { Button, Submit } from './Button.tsx';

/** The browser's own: a button with its id as `popoverTarget` opens it without scripts, and no table clips it. */
export function Popover(props: ComponentProps<'div'> & { id: string }) {
  const ref = useRef<HTMLDivElement>(null);
  const isLeaving = useNavigation().state !== 'idle';
  useEffect(() => {
    if (!isLeaving) return;
    return () => ref.current?.hidePopover();
  }, [isLeaving]);
  return <div ref={ref} popover="auto" {...props} />;
}

/** Null outside of a menu. */
const InMenu = createContext<string | null>(null);

type MenuProps = {
  label: string;
  title?: string;
  button: ReactNode;
  /** In the bar on top, a page's head, or a row. */
  look?: 'bar' | 'head' | 'row';
  isAtEnd?: boolean;
  children: ReactNode;
};

export function Menu({ label, title = label, button, look = 'bar', isAtEnd, children }: MenuProps) {
  const id = useId();
  return (
    <>
      <button
        type="button"
        className={classes.opener}
        data-look={look}
        popoverTarget={id}
        aria-label={label}
        title={title}
      >
        {button}
      </button>
      <Popover id={id} className={classes.menu} data-end={isAtEnd || undefined}>
        <InMenu value={id}>{children}</InMenu>
      </Popover>
    </>
  );
}

type MoreActionsProps = {
  of: string;
  isSmall?: boolean;
  children: ReactNode;
};

export function MoreActions({ of, isSmall = false, children }: MoreActionsProps) {
  if (!useMaySend()) return null;
  return (
    <Menu
      label={`More actions: ${of}`}
      title="More actions"
      button={<Glyph name="more" />}
      look={isSmall ? 'row' : 'head'}
      isAtEnd
    >
      {children}
    </Menu>
  );
}

type BodyPeekProps = { text: string; hasMore: boolean; restTo: string };

/** One line; the first 2,000 characters in a popover (§2.5), the rest on the run's page. */
export function BodyPeek({ text, hasMore, restTo }: BodyPeekProps) {
  const id = useId();
  if (text === '') return <span className="muted">Empty</span>;
  return (
    <>
      <button
        type="button"
        className={`${classes.line} cut`}
        popoverTarget={id}
        title="Show the response"
      >
        {text.slice(0, 120)}
      </button>
      <Popover id={id} role="dialog" aria-label="Response" className={classes.peek}>
        <pre tabIndex={0}>{text}</pre>
        {hasMore ? <Link to={restTo}>Show the rest</Link> : null}
      </Popover>
    </>
  );
}

type ConfirmDialogProps = {
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
        {/* Also closes the menu. */}
        <Button variant="default" popoverTarget={menu ?? id} popoverTargetAction="hide">
          Cancel
        </Button>
        <Submit variant={variant} {...(form && { form, intent: fields['intent'] })}>
          {word}
        </Submit>
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

import {
  createContext,
  useEffect,
  useId,
  useRef,
  type ComponentProps,
  type ReactNode,
} from 'react';
import { Link, useNavigation } from 'react-router';
import { useMaySend } from '../page/may-change.ts';
import { Glyph } from './Glyph.tsx';
import classes from './Overlays.module.css';

/**
 * The browser's own: a button with its id as `popoverTarget` opens it without scripts, and
 * no table clips it. With scripts it also closes when its form is answered or its link has
 * led to another page.
 */
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
export const InMenu = createContext<string | null>(null);

type MenuProps = {
  label: string;
  title?: string;
  button: ReactNode;
  /** In the bar on top, a page's head, or a row. */
  look?: 'bar' | 'head' | 'row';
  /** The menu ends where its button ends. */
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
  /** For screen readers. */
  of: string;
  /** For the row of a table. */
  isSmall?: boolean;
  children: ReactNode;
};

/** Apart from the buttons in frequent use. */
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

import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'react-router';
import { useMayOpen } from '../page/may-change.ts';
import classes from './Button.module.css';

interface Looks {
  /** `filled` is the one thing to do on a page, `danger` takes something away, `quiet` has no frame. */
  variant?: 'filled' | 'default' | 'danger' | 'quiet';
  /** `small` stands within a line of a table or an editor. */
  size?: 'small' | 'large';
  /** A glyph before the words. */
  before?: ReactNode;
  children: ReactNode;
}

/** Does something: sends the form it stands in where its type is `submit`, else what `onClick` says. */
export function Button({
  variant,
  size,
  before,
  children,
  className = '',
  type = 'button',
  ...rest
}: Looks & ComponentProps<'button'>) {
  return (
    <button type={type} {...rest} {...looksOf({ variant, size, className })}>
      {before}
      {children}
    </button>
  );
}

/** Leads somewhere, and looks like a button. A viewer sees none that leads to a form of the team's work. */
export function ButtonLink({
  variant,
  size,
  before,
  children,
  className = '',
  ...rest
}: Looks & ComponentProps<typeof Link>) {
  if (!useMayOpen(rest.to)) return null;
  return (
    <Link {...rest} {...looksOf({ variant, size, className })}>
      {before}
      {children}
    </Link>
  );
}

function looksOf({
  variant = 'filled',
  size,
  className,
}: {
  variant: Looks['variant'];
  size: Looks['size'];
  className: string;
}) {
  return {
    className: `${classes.button} ${className}`.trimEnd(),
    'data-variant': variant,
    'data-size': size,
  };
}

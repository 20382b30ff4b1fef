import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'react-router';
import { useMayOpen } from '../page/may-change.ts';
import classes from './Button.module.css';

interface Looks {
  /** `filled` is the page's main action, `danger` deletes or ends something, `quiet` has no frame. */
  variant?: 'filled' | 'default' | 'danger' | 'quiet';
  /** `small` is for a line of a table or an editor. */
  size?: 'small' | 'large' | undefined;
  /** An icon before the label. */
  before?: ReactNode;
  children: ReactNode;
}

/** A button: sends its form if its type is `submit`, else calls `onClick`. */
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

/** Sends its form. `intent` tells the buttons of a form apart. */
export function Submit({
  intent,
  variant = 'default',
  ...rest
}: Looks & Omit<ComponentProps<'button'>, 'type'> & { intent?: string }) {
  const named = intent === undefined ? {} : { name: 'intent', value: intent };
  return <Button {...named} {...rest} type="submit" variant={variant} />;
}

/**
 * A link that looks like a button. It is not rendered for viewers if it leads to a form that changes the team's work.
 */
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

import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'react-router';
import { useMayOpen } from '../page/may-change.ts';
import classes from './Button.module.css';

type Looks = {
  /** `filled` is the page's main action, `danger` deletes or ends something, `quiet` has no frame. */
  variant?: 'filled' | 'default' | 'danger' | 'quiet';
  /** `small` is for a line of a table or an editor. */
  size?: 'small' | 'large' | undefined;
  /** An icon before the label. */
  before?: ReactNode;
  children: ReactNode;
};

function dress<Props extends Looks & { className?: string | undefined }>(props: Props) {
  const { variant = 'filled', size, before, children, className = '', ...rest } = props;
  return {
    className: `${classes.button} ${className}`.trimEnd(),
    'data-variant': variant,
    'data-size': size,
    ...rest,
    children: (
      <>
        {before}
        {children}
      </>
    ),
  };
}

/** A button: sends its form if its type is `submit`, else calls `onClick`. */
export function Button(props: Looks & ComponentProps<'button'>) {
  return <button type="button" {...dress(props)} />;
}

type SubmitProps = Looks & Omit<ComponentProps<'button'>, 'type'> & { intent?: string };

/** Sends its form. `intent` tells the buttons of a form apart. */
export function Submit({ intent, ...rest }: SubmitProps) {
  const named = intent === undefined ? {} : { name: 'intent', value: intent };
  return <Button variant="default" {...named} {...rest} type="submit" />;
}

/**
 * A link that looks like a button. It is not rendered for viewers if it leads to a form that changes the team's work.
 */
export function ButtonLink(props: Looks & ComponentProps<typeof Link>) {
  return useMayOpen(props.to) ? <Link {...dress(props)} /> : null;
}

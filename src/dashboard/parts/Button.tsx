import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'react-router';
import { useMayOpen } from '../page/may-change.ts';
import { Glyph } from './Glyph.tsx';
import classes from './Button.module.css';

type Looks = {
  /** `filled`: the main action; `danger` deletes; `quiet` has no frame. */
  variant?: 'filled' | 'default' | 'danger' | 'quiet';
  size?: 'small' | 'large' | undefined;
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

export function Button(props: Looks & ComponentProps<'button'>) {
  return <button type="button" {...dress(props)} />;
}

type SubmitProps = Looks & Omit<ComponentProps<'button'>, 'type'> & { intent?: string | undefined };

export function Submit({ intent, ...rest }: SubmitProps) {
  const named = intent === undefined ? {} : { name: 'intent', value: intent };
  return <Button variant="default" {...named} {...rest} type="submit" />;
}

/** Hidden from viewers if it leads to a form that changes the team's work. */
export function ButtonLink(props: Looks & ComponentProps<typeof Link>) {
  return useMayOpen(props.to) ? <Link {...dress(props)} /> : null;
}

/** Removes a row or closes a message. Only with scripts. */
export function CrossButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className="bare needs-script" aria-label={label} onClick={onClick}>
      <Glyph name="cross" size={14} />
    </button>
  );
}

import type { ReactNode } from 'react';
import classes from './EmptyState.module.css';

type EmptyStateProps = {
  /** What is not there yet. */
  title: string;
  /** What the thing is for, in a sentence or two. */
  children: ReactNode;
  /** One example, as text. */
  example?: string;
  /** One button. */
  action?: ReactNode;
};

/** A list with nothing in it: what it is for, one example, one button. */
export function EmptyState({ title, children, example, action }: EmptyStateProps) {
  return (
    <section className={classes.empty}>
      <h2>{title}</h2>
      <p>{children}</p>
      {example ? <pre>{example}</pre> : null}
      {action}
    </section>
  );
}

import type { ReactNode } from 'react';
import classes from './EmptyState.module.css';

type EmptyStateProps = {
  /** The missing item. */
  title: string;
  /** Its purpose, in a sentence or two. */
  children: ReactNode;
  /** One example, as text. */
  example?: string;
  /** One button. */
  action?: ReactNode;
};

/** An empty list: its purpose, one example, one button. */
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

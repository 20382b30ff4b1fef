import type { ReactNode } from 'react';
import classes from './EmptyState.module.css';

type EmptyStateProps = {
  title: string;
  children: ReactNode;
  example?: string;
  action?: ReactNode;
};

/** Purpose, one example, one button. */
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

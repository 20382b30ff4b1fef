import type { ReactNode } from 'react';
import classes from './Panel.module.css';

type PanelProps = {
  title: string;
  beside?: ReactNode;
  className?: string | undefined;
  /** The children have their own padding. */
  isBare?: boolean;
  children: ReactNode;
};

export function Panel({ title, beside, className = '', isBare = false, children }: PanelProps) {
  return (
    <section className={`panel ${className}`.trimEnd()}>
      <header>
        <h2>{title}</h2>
        {beside}
      </header>
      {isBare ? children : <div className={`body ${classes.parts}`}>{children}</div>}
    </section>
  );
}

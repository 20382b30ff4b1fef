import type { ReactNode } from 'react';
import classes from './Section.module.css';

type SectionProps = {
  title: string;
  note?: ReactNode;
  children: ReactNode;
  isDanger?: boolean;
  /** Beside the fields if there is room. */
  preview?: ReactNode;
};

export function Section({ title, note, children, isDanger = false, preview }: SectionProps) {
  return (
    <section className={classes.section} data-danger={isDanger || undefined}>
      <div>
        <h2>{title}</h2>
        {note ? <p className="muted">{note}</p> : null}
      </div>
      <div className={classes.body}>{children}</div>
      {preview}
    </section>
  );
}

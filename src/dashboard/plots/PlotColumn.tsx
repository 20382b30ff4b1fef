import type { ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './Plot.module.css';

type ColumnProps = {
  title: string;
  /** Why there are no values, or fewer; null for none. */
  note: string | null;
  facts: readonly { name: string; tone: string; value: string }[];
  to: string | null;
  linkWord: string | undefined;
  /** True in the right half: its text is left of the column, so that it stays on the page. */
  isLate: boolean;
  children: ReactNode;
};

/**
 * A column of a plot, with its numbers under the pointer. Tab passes it by: the table below the plot has the same numbers
 * and links.
 */
export function PlotColumn({ title, note, facts, to, linkWord, isLate, children }: ColumnProps) {
  const values = facts.map(({ name, value }) => `${name} ${value}`);
  const said = `${title}: ${[...(note === null ? [] : [note]), ...values].join(', ')}`;
  const shared = { className: classes.column, 'aria-label': said };
  const inside = (
    <>
      {children}
      <span className={classes.tip} data-late={isLate || undefined} aria-hidden="true">
        <b>{title}</b>
        {note === null ? null : <span className={classes.why}>{note}</span>}
        {facts.map(({ name, tone, value }) => (
          <span key={name} data-tone={tone}>
            {name} <span className="num">{value}</span>
          </span>
        ))}
        {to !== null && linkWord ? <em>{linkWord}</em> : null}
      </span>
    </>
  );
  return (
    <li>
      {to === null ? (
        <span {...shared} role="img">
          {inside}
        </span>
      ) : (
        <Link {...shared} to={to} tabIndex={-1}>
          {inside}
        </Link>
      )}
    </li>
  );
}

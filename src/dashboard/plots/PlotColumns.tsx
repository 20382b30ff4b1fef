import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './Plot.module.css';

/** The only column that Tab reaches; null while Tab reaches every column, before a script runs. */
const ReachedContext = createContext<number | null>(null);

/**
 * The columns of a plot. Each shows its numbers under the pointer and on keyboard focus. With scripts Tab reaches one
 * of them, and the arrow keys move from there.
 *
 * @param label  the id of the plot's title
 */
export function PlotColumns({
  label,
  count,
  children,
}: {
  label: string;
  count: number;
  children: ReactNode;
}) {
  const list = useRef<HTMLOListElement>(null);
  const [reached, setReached] = useState<number | null>(null);
  useEffect(() => setReached((at) => Math.min(at ?? count - 1, count - 1)), [count]);
  const go = (at: number) => {
    const column = list.current?.children[Math.max(0, Math.min(at, count - 1))];
    column?.querySelector<HTMLElement>('[data-column]')?.focus();
  };
  const steps: Record<string, (at: number) => number> = {
    ArrowLeft: (at) => at - 1,
    ArrowRight: (at) => at + 1,
    Home: () => 0,
    End: () => count - 1,
  };
  return (
    <ReachedContext value={reached}>
      <ol
        ref={list}
        className={classes.columns}
        aria-labelledby={label}
        onFocus={({ target }) => {
          const at = Number(target.dataset['column']);
          if (reached !== null && Number.isInteger(at)) setReached(at);
        }}
        onKeyDown={(event) => {
          const step = steps[event.key];
          if (event.key === 'Escape') (event.target as HTMLElement).blur();
          if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          go(step(reached ?? count - 1));
        }}
      >
        {children}
      </ol>
    </ReachedContext>
  );
}

type ColumnProps = {
  at: number;
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

export function PlotColumn({
  at,
  title,
  note,
  facts,
  to,
  linkWord,
  isLate,
  children,
}: ColumnProps) {
  const reached = useContext(ReachedContext);
  const tabIndex = reached === null || reached === at ? 0 : -1;
  const values = facts.map(({ name, value }) => `${name} ${value}`);
  const said = `${title}: ${[...(note === null ? [] : [note]), ...values].join(', ')}`;
  const shared = { className: classes.column, 'data-column': at, 'aria-label': said, tabIndex };
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
        <Link {...shared} to={to}>
          {inside}
        </Link>
      )}
    </li>
  );
}

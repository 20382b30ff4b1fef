import { useShell } from './shell.ts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { LiveMark } from '../connection/ConnectionBar.tsx';
import { formatAmount, capped } from '../words/amounts.ts';
import { useLiveRefresh } from './LiveRefresh.tsx';
import { Glyph } from '../parts/Glyph.tsx';
import classes from './PageHeader.module.css';

export type PageHeaderProps = {
  title: string;
  beside?: ReactNode;
  note?: ReactNode;
  parent?: { to: string; text: string };
  action?: ReactNode;
  more?: ReactNode;
  /** Rare or destructive (see MoreActions). */
  menu?: ReactNode;
  /** Seconds after which the page refreshes itself. */
  every?: number;
};

/** Also sets the tab's title. */
export function PageHeader({ title, beside, note, parent, every, ...actions }: PageHeaderProps) {
  const { action, more, menu } = actions;
  useLiveRefresh(every ?? null);
  return (
    <header className={classes.header}>
      <TabTitle title={title} />
      <div className={classes.words}>
        {parent ? (
          <Link className={classes.parent} to={parent.to}>
            <Glyph name="left" size={12} />
            {parent.text}
          </Link>
        ) : null}
        <div className={classes.titleLine}>
          <h1>{title}</h1>
          {beside}
          <LiveMark />
        </div>
        {note ? <p className={classes.note}>{note}</p> : null}
      </div>
      {action || more || menu ? (
        <div className="row">
          {more}
          <span className="row together">
            {action}
            {menu}
          </span>
        </div>
      ) : null}
    </header>
  );
}

/** Also shows failures and the number of unread alerts. */
export function TabTitle({ title }: { title: string }) {
  const attention = useShell()?.attention;
  const failing = attention ? attention.failingCrons + attention.failingQueues : 0;
  const unread = attention ? attention.unreadAlerts : 0;
  const counts = `${failing > 0 ? `✕ ${failing} failing · ` : ''}${unread > 0 ? `(${formatAmount(capped(unread))}) ` : ''}`;
  return <title>{`${counts}${title} · Belfry`}</title>;
}

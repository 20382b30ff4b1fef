import { Link } from 'react-router';
import classes from './TabLinks.module.css';

export type Tab = { name: string; to: string; isCurrent: boolean; count?: string | undefined };

/** Links: each has an address and works without a script. */
export function TabLinks({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className={classes.tabs}>
      {tabs.map((tab) => (
        <Link
          key={tab.name}
          to={tab.to}
          aria-current={tab.isCurrent ? 'page' : undefined}
          preventScrollReset
        >
          {tab.name}
          {tab.count === undefined ? null : <span className={classes.count}>{tab.count}</span>}
        </Link>
      ))}
    </nav>
  );
}

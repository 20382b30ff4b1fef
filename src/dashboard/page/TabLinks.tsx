import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import classes from './TabLinks.module.css';

export type Tab = { name: string; to: string; isCurrent: boolean; count?: string | undefined };

/** Links: each has an address and works without a script. */
export function TabLinks({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const list = useRef<HTMLElement>(null);
  const current = tabs.findIndex(({ isCurrent }) => isCurrent);
  // On phones the tabs are scrolled sideways.
  useEffect(() => {
    const tab = list.current?.children[current];
    if (!list.current || !(tab instanceof HTMLElement)) return;
    const middle = tab.offsetLeft + tab.offsetWidth / 2 - list.current.offsetLeft;
    list.current.scrollLeft = middle - list.current.clientWidth / 2;
  }, [current]);
  return (
    <nav ref={list} aria-label={label} className={classes.tabs}>
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

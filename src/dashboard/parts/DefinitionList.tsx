import type { ReactNode } from 'react';
import classes from './DefinitionList.module.css';

/** A list of names and values: the facts about one thing. Entries without a value are left out. */
export function DefinitionList({
  entries,
}: {
  entries: readonly (readonly [string, ReactNode])[];
}) {
  return (
    <dl className={classes.list}>
      {entries
        .filter(([, value]) => value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

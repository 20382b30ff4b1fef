import type { ReactNode } from 'react';
import classes from './DefinitionList.module.css';

type Entries = readonly (readonly [name: string, value: ReactNode])[];

/** Entries without a value are left out. */
export function DefinitionList({ entries }: { entries: Entries }) {
  const known = entries.filter(
    ([, value]) => value !== null && value !== undefined && value !== false,
  );
  return (
    <dl className={classes.list}>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

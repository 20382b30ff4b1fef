import { EmptyState } from './EmptyState.tsx';
import classes from './FilterBar.module.css';
import type { FilterFaults } from '#domain/read-filters';

type Faults = FilterFaults | null;

/** The ARIA attributes of a control whose value could not be read. `FilterFault` shows the error beside it. */
export function faultyControl(faults: Faults, name: string) {
  return faults?.[name] === undefined
    ? {}
    : { 'aria-invalid': true, 'aria-describedby': faultId(name) };
}

/** What is wrong with a filter, for the place beside its field. */
export function FilterFault({ faults, name }: { faults: Faults; name: string }) {
  const sentence = faults?.[name];
  if (sentence === undefined) return null;
  return (
    <span className={classes.fault} id={faultId(name)} role="alert">
      {sentence}
    </span>
  );
}

/** The errors of filters without a field of their own, such as a tab, each after the filter's name. */
export function OtherFaults({ faults, names }: { faults: Faults; names: Record<string, string> }) {
  return Object.entries(names).map(([name, word]) =>
    faults?.[name] === undefined ? null : (
      <span key={name} className={classes.fault} role="alert">
        {`${word}: ${faults[name]}`}
      </span>
    ),
  );
}

/** In the place of a list whose filter can't be read (§8). */
export function UnreadableFilter() {
  return (
    <EmptyState title="The filter can’t be read">
      So nothing is shown, and nothing can be done to all that match. Correct what is marked above,
      or clear it.
    </EmptyState>
  );
}

function faultId(name: string): string {
  return `fault-${name}`;
}

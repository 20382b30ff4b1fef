import { createContext, use, useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation, useNavigation, useSubmit } from 'react-router';
import type { FilterFaults } from '#domain/runs/read-filters';
import { Submit } from '../parts/Button.tsx';
import classes from './FilterBar.module.css';

const Faults = createContext<FilterFaults | null>(null);

export function useFilter(name: string) {
  const { search } = useLocation();
  const value = new URLSearchParams(search).get(name) ?? '';
  const fault = use(Faults)?.[name];
  const wrong = fault === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': idOf(name) };
  return { value, fault, control: { className: 'control', name, defaultValue: value, ...wrong } };
}

const idOf = (name: string) => `fault-${name}`;

export function FilterFault({ name }: { name: string }) {
  const { fault } = useFilter(name);
  if (fault === undefined) return null;
  return (
    <span className={classes.fault} id={idOf(name)} role="alert">
      {fault}
    </span>
  );
}

type OtherFaultsProps = { faults: FilterFaults | null; names: Record<string, string> };

/** Such as a tab, each after the filter's name. */
export function OtherFaults({ faults, names }: OtherFaultsProps) {
  return Object.entries(names).map(([name, word]) =>
    faults?.[name] === undefined ? null : (
      <span key={name} className={classes.fault} role="alert">
        {`${word}: ${faults[name]}`}
      </span>
    ),
  );
}

/** Whether the address has a filter that `clearTo` lacks. */
export function useNarrowed(clearTo: string): boolean {
  const params = new URLSearchParams(useLocation().search);
  const kept = new URLSearchParams(clearTo.split('?')[1]).keys();
  for (const name of ['after', 'before', ...kept]) params.delete(name);
  return params.values().some((value) => value !== '');
}

type FilterBarProps = {
  label: string;
  faults: FilterFaults | null;
  /** The list without filters. */
  clearTo: string;
  children: ReactNode;
  /** Such as the tab. */
  keep?: readonly string[];
};

/** A plain form. With scripts it sends itself while the user types. */
export function FilterBar(props: FilterBarProps) {
  const { label, faults, clearTo, children, keep = [] } = props;
  const isNarrowed = useNarrowed(clearTo) || faults !== null;
  const submit = useSubmit();
  const { pathname, search } = useLocation();
  const params = new URLSearchParams(search);
  const place = useForeignPlace();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { location: destination } = useNavigation();
  useEffect(() => {
    // The last input must not lead back.
    if (destination && !isOwn(destination.state)) clearTimeout(timer.current);
  }, [destination]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (form: HTMLFormElement, afterMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () =>
        void submit(withoutEmpty(form), {
          action: pathname,
          replace: true,
          state: ownState,
          preventScrollReset: true,
        }),
      afterMs,
    );
  };
  return (
    <form
      // An address from elsewhere has new default values.
      key={place}
      method="get"
      role="search"
      aria-label={label}
      className={classes.bar}
      onSubmit={(event) => {
        event.preventDefault();
        send(event.currentTarget, 0);
      }}
      onChange={(event) => {
        // Such as half a date.
        if (!event.currentTarget.checkValidity()) return;
        send(event.currentTarget, event.target instanceof HTMLSelectElement ? 0 : 350);
      }}
    >
      {keep.map((name) =>
        params.has(name) ? (
          <input key={name} type="hidden" name={name} value={params.get(name) ?? ''} />
        ) : null,
      )}
      <Faults value={faults}>{children}</Faults>
      <noscript>
        <Submit>Apply</Submit>
      </noscript>
      {isNarrowed ? <Link to={clearTo}>Clear</Link> : null}
    </form>
  );
}

const ownState = { isFiltering: true };
const isOwn = (state: unknown) => (state as Partial<typeof ownState> | null)?.isFiltering === true;

/** A change by the filters must not take away their focus. */
function useForeignPlace(): string {
  const { key, state } = useLocation();
  const [place, setPlace] = useState(key);
  if (isOwn(state) || place === key) return place;
  setPlace(key);
  return key;
}

function withoutEmpty(form: HTMLFormElement): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && value !== '') params.append(name, value);
  return params;
}

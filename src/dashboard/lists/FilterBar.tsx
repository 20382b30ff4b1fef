import { Submit } from '../parts/Button.tsx';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation, useNavigation, useSubmit } from 'react-router';
import classes from './FilterBar.module.css';

type FilterBarProps = {
  /** What is filtered, for screen readers. */
  label: string;
  /** Controls whose names are parameters of the address, with the address's values as default values. */
  children: ReactNode;
  /** Parameters of the address that stay, such as the tab. */
  keep?: readonly string[];
  /** The address without filters, for the link "Clear" that is shown if a filter is set. */
  clearTo?: string;
};

/** Filters that are part of the address: a plain form. With scripts it sends itself while somebody types. */
export function FilterBar({ label, children, keep = [], clearTo }: FilterBarProps) {
  const submit = useSubmit();
  const { pathname, search } = useLocation();
  const params = new URLSearchParams(search);
  const place = useForeignPlace();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { location: destination } = useNavigation();
  useEffect(() => {
    // Somebody goes elsewhere: what was typed last must not lead them back.
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
      // An address that came from elsewhere (a tab, "Clear") has new default values.
      key={place}
      method="get"
      role="search"
      aria-label={label}
      className={classes.bar}
      onSubmit={(event) => {
        event.preventDefault();
        send(event.currentTarget, 0);
      }}
      onChange={(event) =>
        send(event.currentTarget, event.target instanceof HTMLSelectElement ? 0 : 350)
      }
    >
      {keep.map((name) =>
        params.has(name) ? (
          <input key={name} type="hidden" name={name} value={params.get(name) ?? ''} />
        ) : null,
      )}
      {children}
      <noscript>
        <Submit>Apply</Submit>
      </noscript>
      {clearTo ? <Link to={clearTo}>Clear</Link> : null}
    </form>
  );
}

const ownState = { isFiltering: true };
const isOwn = (state: unknown) => (state as Partial<typeof ownState> | null)?.isFiltering === true;

/**
 * The last address that did not come from the filters themselves. A change by the filters must not take away their
 * focus.
 */
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

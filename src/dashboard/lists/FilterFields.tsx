import { type ReactNode, useState } from 'react';
import { type FilterFaults, mostFilterCharacters } from '#domain/read-filters';
import { FilterFault, faultyControl } from './FilterFault.tsx';
import classes from './FilterFields.module.css';

/** What the address says of each filter, and what is wrong with it. */
export type Filters = {
  valueOf: (name: string) => string;
  faults: FilterFaults | null;
};

export function filtersOf(params: URLSearchParams, faults: FilterFaults | null): Filters {
  return { valueOf: (name) => params.get(name) ?? '', faults };
}

/** The one search box, which knows what it is given by its look. */
export function FilterWords({
  filters: { valueOf, faults },
  placeholder,
}: {
  filters: Filters;
  placeholder: string;
}) {
  return (
    <>
      <input
        className="control"
        type="search"
        name="q"
        aria-label="Search"
        placeholder={placeholder}
        defaultValue={valueOf('q')}
        maxLength={mostFilterCharacters}
        {...faultyControl(faults, 'q')}
      />
      <FilterFault faults={faults} name="q" />
    </>
  );
}

/** A value and its word. */
export type Option = readonly [value: string, word: string];

/** A list to choose one from; its first option asks for nothing. */
export function FilterChoice({
  filters: { valueOf, faults },
  name,
  label,
  options,
  children,
}: {
  filters: Filters;
  name: string;
  label: string;
  options: readonly Option[];
  /** Groups of further options. */
  children?: ReactNode;
}) {
  return (
    <>
      <select
        className="control"
        name={name}
        aria-label={label}
        defaultValue={valueOf(name)}
        {...faultyControl(faults, name)}
      >
        <Options options={options} />
        {children}
      </select>
      <FilterFault faults={faults} name={name} />
    </>
  );
}

function Options({ options }: { options: readonly Option[] }) {
  return options.map(([value, word]) => (
    <option key={value} value={value}>
      {word}
    </option>
  ));
}

/** Nothing where there are none. */
export function OptionGroup({ label, options }: { label: string; options: readonly Option[] }) {
  if (options.length === 0) return null;
  return (
    <optgroup label={label}>
      <Options options={options} />
    </optgroup>
  );
}

/** As filters have queues and crons: `queue:<id>`. */
export const sourceOptions = (
  kind: 'queue' | 'cron',
  sources: readonly { id: string; name: string }[],
): Option[] => sources.map(({ id, name }) => [`${kind}:${id}`, name]);

/** Fields that are seldom needed, behind a summary; open where any of them is in use. */
export function FurtherFilters({
  filters,
  names,
  children,
}: {
  filters: Filters;
  names: readonly string[];
  children: ReactNode;
}) {
  // Only at first: emptying the last of them must not close the panel around the focus.
  const [isOpen] = useState(() => names.some((name) => filters.valueOf(name) !== ''));
  return (
    <details className={classes.more} open={isOpen}>
      <summary>More filters</summary>
      <div className={classes.fields}>{children}</div>
    </details>
  );
}

export function FilterText({
  filters: { valueOf, faults },
  name,
  label,
  type = 'text',
  placeholder,
}: {
  filters: Filters;
  name: string;
  label: string;
  type?: string;
  placeholder?: string;
}) {
  return (
    <div>
      <label>
        <span>{label}</span>
        <input
          className="control"
          type={type}
          name={name}
          defaultValue={valueOf(name)}
          placeholder={placeholder}
          autoComplete="off"
          maxLength={mostFilterCharacters}
          {...(type === 'datetime-local' ? { step: 1 } : {})}
          {...faultyControl(faults, name)}
        />
      </label>
      <FilterFault faults={faults} name={name} />
    </div>
  );
}

/** Narrows a list to status codes, as `domain/status-codes` reads them. */
export function FilterCodes({ filters }: { filters: Filters }) {
  return (
    <FilterText
      filters={filters}
      name="code"
      label="Status code"
      placeholder="503, 5xx, 500,502 or none"
    />
  );
}

/** Narrows a list to a span of time. */
export function FilterTimes({ filters }: { filters: Filters }) {
  return (
    <>
      <FilterText filters={filters} name="from" label="From (UTC)" type="datetime-local" />
      <FilterText filters={filters} name="to" label="To (UTC)" type="datetime-local" />
    </>
  );
}

import type { ReactNode } from 'react';
import { formatAmount } from '../words/amounts.ts';
import { FilterBar } from '../lists/FilterBar.tsx';
import { FilterFault, faultyControl, OtherFaults } from '../lists/FilterFault.tsx';
import { type FilterFaults, mostFilterCharacters } from '../lists/read-filters.ts';
import type { BoundedCount, JobTab } from '../services.ts';
import { reasonNames, reasons } from './reasons.ts';
import classes from './JobFilters.module.css';

const further = ['payload', 'response', 'code', 'from', 'to'] as const;

type Filters = {
  valueOf: (name: string) => string;
  faults: FilterFaults | null;
};

/** The search of the jobs list: one box for what is known by its look, and fields for the rest. All combine. */
export function JobFilters({
  queues,
  tab,
  params,
  narrowed,
  faults,
  resent,
}: {
  queues: readonly { id: string; name: string }[];
  tab: JobTab;
  params: URLSearchParams;
  narrowed: boolean;
  faults: FilterFaults | null;
  /** How many failed jobs were resent. */
  resent: BoundedCount;
}) {
  const filters = { valueOf: (name: string) => params.get(name) ?? '', faults };
  const target = filters.valueOf('target');
  return (
    <FilterBar
      label="Search jobs"
      keep={tab === 'failed' ? ['tab', 'target'] : ['tab', 'target', 'resent']}
      {...(narrowed || faults ? { clearTo: `/jobs?tab=${tab}` } : {})}
    >
      <Words {...filters} />
      <Choice filters={filters} name="queue" label="Queue">
        <option value="">All queues</option>
        {queues.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <Choice filters={filters} name="reason" label="Reason">
        <option value="">Any reason</option>
        {reasons.map((reason) => (
          <option key={reason} value={reason}>
            {reasonNames[reason]}
          </option>
        ))}
      </Choice>
      {tab === 'failed' ? (
        <Choice filters={filters} name="resent" label="Resent or not">
          <option value="">Not resent</option>
          <option value="1">{`Resent (${formatAmount(resent)})`}</option>
        </Choice>
      ) : null}
      <Further {...filters} />
      <OtherFaults faults={faults} names={{ tab: 'Tab', target: 'Target' }} />
      {target ? (
        <p className={classes.target}>
          Target <code>{target}</code>
        </p>
      ) : null}
    </FilterBar>
  );
}

function Words({ valueOf, faults }: Filters) {
  return (
    <>
      <input
        className="control"
        type="search"
        name="q"
        aria-label="Search"
        placeholder="Id, URL, status code, reason or payload text"
        defaultValue={valueOf('q')}
        maxLength={mostFilterCharacters}
        {...faultyControl(faults, 'q')}
      />
      <FilterFault faults={faults} name="q" />
    </>
  );
}

function Choice({
  filters: { valueOf, faults },
  name,
  label,
  children,
}: {
  filters: Filters;
  name: string;
  label: string;
  children: ReactNode;
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
        {children}
      </select>
      <FilterFault faults={faults} name={name} />
    </>
  );
}

function Further(filters: Filters) {
  const { valueOf } = filters;
  return (
    <details className={classes.more} open={further.some((name) => valueOf(name) !== '')}>
      <summary>More filters</summary>
      <div className={classes.fields}>
        <Text filters={filters} name="payload" label="Payload contains" />
        <Text filters={filters} name="response" label="Response contains" />
        <Text
          filters={filters}
          name="code"
          label="Status code"
          placeholder="503, 5xx, 500,502 or none"
        />
        <Text filters={filters} name="from" label="From (UTC)" type="datetime-local" />
        <Text filters={filters} name="to" label="To (UTC)" type="datetime-local" />
      </div>
    </details>
  );
}

function Text({
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

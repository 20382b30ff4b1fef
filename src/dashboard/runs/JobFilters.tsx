import { formatAmount } from '../words/amounts.ts';
import { FilterBar } from '../lists/FilterBar.tsx';
import { OtherFaults } from '../lists/FilterFault.tsx';
import {
  FilterChoice,
  FilterCodes,
  type Filters,
  filtersOf,
  FilterText,
  FilterTimes,
  FilterWords,
  FurtherFilters,
} from '../lists/FilterFields.tsx';
import { reasonNames, reasons } from '#domain/failure';
import type { FilterFaults } from '#domain/read-filters';
import type { BoundedCount, JobTab } from '../services.ts';
import classes from './JobFilters.module.css';

const further = ['payload', 'response', 'code', 'from', 'to'] as const;

/**
 * The search of the jobs list: one box that recognises ids, addresses, codes and reasons, and fields for the rest.
 * All of them combine.
 */
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
  const filters = filtersOf(params, faults);
  const target = filters.valueOf('target');
  return (
    <FilterBar
      label="Search jobs"
      keep={tab === 'failed' ? ['tab', 'target'] : ['tab', 'target', 'resent']}
      {...(narrowed || faults ? { clearTo: `/jobs?tab=${tab}` } : {})}
    >
      <FilterWords filters={filters} placeholder="Id, URL, status code, reason or payload text" />
      <FilterChoice filters={filters} name="queue" label="Queue">
        <option value="">All queues</option>
        {queues.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </FilterChoice>
      <FilterChoice filters={filters} name="reason" label="Reason">
        <option value="">Any reason</option>
        {reasons.map((reason) => (
          <option key={reason} value={reason}>
            {reasonNames[reason]}
          </option>
        ))}
      </FilterChoice>
      {tab === 'failed' ? (
        <FilterChoice filters={filters} name="resent" label="Resent or not">
          <option value="">Not resent</option>
          <option value="1">{`Resent (${formatAmount(resent)})`}</option>
        </FilterChoice>
      ) : null}
      <Further filters={filters} />
      <OtherFaults faults={faults} names={{ tab: 'Tab', target: 'Target' }} />
      {target ? (
        <p className={classes.target}>
          Target <code>{target}</code>
        </p>
      ) : null}
    </FilterBar>
  );
}

function Further({ filters }: { filters: Filters }) {
  return (
    <FurtherFilters filters={filters} names={further}>
      <FilterText filters={filters} name="payload" label="Payload contains" />
      <FilterText filters={filters} name="response" label="Response contains" />
      <FilterCodes filters={filters} />
      <FilterTimes filters={filters} />
    </FurtherFilters>
  );
}

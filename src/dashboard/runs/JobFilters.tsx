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
import type { FilterFaults } from '#domain/read-filters';
import type { BoundedCount, JobTab } from '../services.ts';
import classes from './JobFilters.module.css';
import { reasonOptions } from './reasons.ts';

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
      <QueueFilter filters={filters} queues={queues} />
      <FilterChoice filters={filters} name="reason" label="Reason" options={reasonOptions} />
      {tab === 'failed' ? (
        <FilterChoice
          filters={filters}
          name="resent"
          label="Resent or not"
          options={[
            ['', 'Not resent'],
            ['only', `Resent (${formatAmount(resent)})`],
            ['any', 'Resent or not'],
          ]}
        />
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

/** Narrows a list of jobs to a queue. */
export function QueueFilter({
  filters,
  queues,
}: {
  filters: Filters;
  queues: readonly { id: string; name: string }[];
}) {
  const each = queues.map(({ id, name }) => [id, name] as const);
  const options = [['', 'All queues'] as const, ...each];
  return <FilterChoice filters={filters} name="queue" label="Queue" options={options} />;
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

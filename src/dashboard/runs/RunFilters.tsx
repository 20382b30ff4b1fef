import { CONNECTION_FAULTS, type FaultCode } from '#domain/connection-faults';
import { reasonNames } from '#domain/failure';
import type { FilterFaults } from '#domain/read-filters';
import { FilterBar } from '../lists/FilterBar.tsx';
import {
  FilterChoice,
  FilterCodes,
  type Filters,
  filtersOf,
  FilterText,
  FilterTimes,
  FilterWords,
  FurtherFilters,
  OptionGroup,
  sourceOptions,
} from '../lists/FilterFields.tsx';
import { isNarrowed } from './run-links.ts';
import { describeFault, reasonOptions } from './reasons.ts';
import { TagFilter } from './TagFilter.tsx';

/** What a filter may name: some of the team's queues and crons, and whether there are others. */
export type RunSources = {
  queues: readonly NamedSource[];
  crons: readonly NamedSource[];
};
type NamedSource = { id: string; name: string };

const kinds = [
  ['', 'Jobs and crons'],
  ['jobs', 'Jobs'],
  ['crons', 'Crons'],
] as const;
const outcomes = [
  ['', 'Any outcome'],
  ['success', 'Success'],
  ['failure', 'Failed, retried or not'],
  ['retried', 'Failed and retried'],
  ['failed', 'Failed for good'],
] as const;

const faultCodes = Object.keys(CONNECTION_FAULTS) as FaultCode[];
const faultOptions = faultCodes.map((code) => [code, describeFault(code)] as const);
const further = ['code', 'host', 'text', 'from', 'to'] as const;

/** What the list of runs is narrowed to. All combine, and stand in the address. */
export function RunFilters({
  sources,
  tags,
  params,
  faults,
}: {
  sources: RunSources;
  tags: readonly string[];
  params: URLSearchParams;
  faults: FilterFaults | null;
}) {
  const filters = filtersOf(params, faults);
  return (
    <FilterBar label="Search runs" {...(isNarrowed(params) ? { clearTo: '/runs' } : {})}>
      <FilterWords filters={filters} placeholder="Id, URL, status code, reason or text" />
      <FilterChoice filters={filters} name="of" label="Of" options={kinds}>
        <OptionGroup label="Queues" options={sourceOptions('queue', sources.queues)} />
        <OptionGroup label="Crons" options={sourceOptions('cron', sources.crons)} />
      </FilterChoice>
      <TagFilter tags={tags} filters={filters} />
      <FilterChoice filters={filters} name="status" label="Outcome" options={outcomes} />
      <FilterChoice filters={filters} name="reason" label="Reason" options={reasonOptions}>
        <OptionGroup label={`${reasonNames.connection_error}:`} options={faultOptions} />
      </FilterChoice>
      <Further filters={filters} />
    </FilterBar>
  );
}

function Further({ filters }: { filters: Filters }) {
  return (
    <FurtherFilters filters={filters} names={further}>
      <FilterCodes filters={filters} />
      <FilterText filters={filters} name="host" label="Host" placeholder="api.example.com" />
      <FilterText filters={filters} name="text" label="Payload or response contains" />
      <FilterTimes filters={filters} />
    </FurtherFilters>
  );
}

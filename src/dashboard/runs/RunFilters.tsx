import { CONNECTION_FAULTS, type FaultCode } from '#domain/connection-faults';
import { reasonNames, reasons } from '#domain/failure';
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
} from '../lists/FilterFields.tsx';
import { isNarrowed } from './run-links.ts';
import { describeFault } from './reasons.ts';
import { TagFilter } from './TagFilter.tsx';

/** What a filter may name: some of the team's queues and crons, and whether there are others. */
export type RunSources = {
  queues: readonly NamedSource[];
  crons: readonly NamedSource[];
};
type NamedSource = { id: string; name: string };

const outcomes = [
  ['success', 'Success'],
  ['failure', 'Failed, retried or not'],
  ['retried', 'Failed and retried'],
  ['failed', 'Failed for good'],
] as const;

const faultCodes = Object.keys(CONNECTION_FAULTS) as FaultCode[];
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
      <FilterChoice filters={filters} name="of" label="Of">
        <option value="">Jobs and crons</option>
        <option value="jobs">Jobs</option>
        <option value="crons">Crons</option>
        <Sources label="Queues" kind="queue" sources={sources.queues} />
        <Sources label="Crons" kind="cron" sources={sources.crons} />
      </FilterChoice>
      <TagFilter tags={tags} params={params} faults={faults} />
      <FilterChoice filters={filters} name="status" label="Outcome">
        <option value="">Any outcome</option>
        {outcomes.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </FilterChoice>
      <Reasons filters={filters} />
      <Further filters={filters} />
    </FilterBar>
  );
}

function Reasons({ filters }: { filters: Filters }) {
  return (
    <FilterChoice filters={filters} name="reason" label="Reason">
      <option value="">Any reason</option>
      {reasons.map((reason) => (
        <option key={reason} value={reason}>
          {reasonNames[reason]}
        </option>
      ))}
      <optgroup label={`${reasonNames.connection_error}:`}>
        {faultCodes.map((code) => (
          <option key={code} value={code}>
            {describeFault(code)}
          </option>
        ))}
      </optgroup>
    </FilterChoice>
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

function Sources({
  label,
  kind,
  sources,
}: {
  label: string;
  kind: 'queue' | 'cron';
  sources: readonly NamedSource[];
}) {
  if (sources.length === 0) return null;
  return (
    <optgroup label={label}>
      {sources.map(({ id, name }) => (
        <option key={id} value={`${kind}:${id}`}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}

import { useLocation } from 'react-router';
import { FilterBar } from '../lists/FilterBar.tsx';
import { FilterFault, faultyControl } from '../lists/FilterFault.tsx';
import { FilterChoice, filtersOf, OptionGroup, sourceOptions } from '../lists/FilterFields.tsx';
import type { FilterFaults } from '#domain/read-filters';
import type { NamedSource } from '../services.ts';
import { readSourceChoice } from './alert-filter.ts';

/** How many crons and queues the filter offers by name. The alerts of others are reached from their own pages. */
const MOST_OFFERED = 200;

const levels = [
  ['', 'All levels'],
  ['failure', 'Failure'],
  ['warning', 'Warning'],
  ['recovery', 'Recovery'],
  ['usage', 'Usage'],
] as const;

const deliveries = [
  ['', 'Sent or not'],
  ['sent', 'Sent'],
  ['pending', 'Waiting'],
  ['muted', 'Muted'],
  ['failed', 'Not sent'],
] as const;

export function AlertFilters({
  sources,
  isNarrowed,
  faults,
}: {
  sources: readonly NamedSource[];
  isNarrowed: boolean;
  faults: FilterFaults | null;
}) {
  const params = new URLSearchParams(useLocation().search);
  const filters = filtersOf(params, faults);
  return (
    <FilterBar label="Filter alerts" {...(isNarrowed ? { clearTo: '/alerts' } : {})}>
      <FilterChoice filters={filters} name="level" label="Level" options={levels} />
      <SourceSelect sources={sources} chosen={params.get('source') ?? ''} faults={faults} />
      <FilterFault faults={faults} name="source" />
      <FilterChoice filters={filters} name="delivery" label="Notice" options={deliveries} />
      <label className="row">
        <input
          type="checkbox"
          name="unread"
          value="1"
          defaultChecked={params.get('unread') === '1'}
        />
        Unread only
      </label>
      <FilterFault faults={faults} name="unread" />
    </FilterBar>
  );
}

function SourceSelect({
  sources,
  chosen,
  faults,
}: {
  sources: readonly NamedSource[];
  chosen: string;
  faults: FilterFaults | null;
}) {
  const choice = readSourceChoice(chosen);
  const isOffered = ({ kind, id }: NamedSource) => kind === choice?.kind && id === choice.id;
  const group = (kind: NamedSource['kind']) => {
    const all = sources.filter((source) => source.kind === kind);
    return all.filter((source, at) => at < MOST_OFFERED || isOffered(source));
  };
  const isGone = choice !== null && choice.id !== null && !sources.some(isOffered);
  return (
    <select
      className="control"
      name="source"
      aria-label="Source"
      style={{ maxWidth: 220 }}
      defaultValue={choice === null ? '' : chosen}
      {...faultyControl(faults, 'source')}
    >
      <option value="">Crons and queues</option>
      <option value="cron">All crons</option>
      <option value="queue">All queues</option>
      {isGone ? <option value={chosen}>A deleted {choice.kind}</option> : null}
      <OptionGroup label="Crons" options={sourceOptions('cron', group('cron'))} />
      <OptionGroup label="Queues" options={sourceOptions('queue', group('queue'))} />
    </select>
  );
}

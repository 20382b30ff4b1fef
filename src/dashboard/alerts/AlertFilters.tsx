import { useLocation } from 'react-router';
import { FilterBar } from '../lists/FilterBar.tsx';
import { FilterFault, faultyControl } from '../lists/FilterFault.tsx';
import type { FilterFaults } from '#domain/read-filters';
import type { NamedSource } from '../services.ts';
import { readSourceChoice } from './alert-filter.ts';

/** How many crons and queues the filter offers by name. The alerts of others are reached from their own pages. */
const MOST_OFFERED = 200;

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
  return (
    <FilterBar label="Filter alerts" {...(isNarrowed ? { clearTo: '/alerts' } : {})}>
      <select
        className="control"
        name="level"
        aria-label="Level"
        defaultValue={params.get('level') ?? ''}
        {...faultyControl(faults, 'level')}
      >
        <option value="">All levels</option>
        <option value="failure">Failure</option>
        <option value="warning">Warning</option>
        <option value="recovery">Recovery</option>
        <option value="usage">Usage</option>
      </select>
      <FilterFault faults={faults} name="level" />
      <SourceSelect sources={sources} chosen={params.get('source') ?? ''} faults={faults} />
      <FilterFault faults={faults} name="source" />
      <select
        className="control"
        name="delivery"
        aria-label="Notice"
        defaultValue={params.get('delivery') ?? ''}
        {...faultyControl(faults, 'delivery')}
      >
        <option value="">Sent or not</option>
        <option value="sent">Sent</option>
        <option value="pending">Waiting</option>
        <option value="muted">Muted</option>
        <option value="failed">Not sent</option>
      </select>
      <FilterFault faults={faults} name="delivery" />
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
      <Options label="Crons" sources={group('cron')} />
      <Options label="Queues" sources={group('queue')} />
    </select>
  );
}

function Options({ label, sources }: { label: string; sources: readonly NamedSource[] }) {
  if (sources.length === 0) return null;
  return (
    <optgroup label={label}>
      {sources.map(({ kind, id, name }) => (
        <option key={id} value={`${kind}:${id}`}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}

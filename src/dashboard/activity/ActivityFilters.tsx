import { useLocation } from 'react-router';
import { ACTIVITY_AREAS } from '#domain/activity';
import { FilterBar } from '../lists/FilterBar.tsx';
import { FilterFault, faultyControl } from '../lists/FilterFault.tsx';
import { FilterChoice, filtersOf } from '../lists/FilterFields.tsx';
import type { FilterFaults } from '#domain/read-filters';
import { activityFilters } from './activity-search.ts';

export function ActivityFilters({
  seesAccess,
  faults,
}: {
  seesAccess: boolean;
  faults: FilterFaults | null;
}) {
  const params = new URLSearchParams(useLocation().search);
  const isNarrowed = activityFilters.some((name) => params.get(name));
  const areas = Object.entries(ACTIVITY_AREAS).filter(([area]) => seesAccess || area !== 'access');
  return (
    <FilterBar
      label="Filter the activity"
      keep={['by']}
      {...(isNarrowed ? { clearTo: '/settings/activity' } : {})}
    >
      <FilterChoice
        filters={filtersOf(params, faults)}
        name="area"
        label="About"
        options={[['', 'Everything'], ...areas]}
      />
      <FilterFault faults={faults} name="by" />
      {(['from', 'to'] as const).map((name) => (
        <label key={name} className="row">
          {name === 'from' ? 'From (UTC)' : 'To (UTC)'}
          <input
            className="control"
            type="datetime-local"
            name={name}
            step={1}
            defaultValue={params.get(name) ?? ''}
            {...faultyControl(faults, name)}
          />
          <FilterFault faults={faults} name={name} />
        </label>
      ))}
    </FilterBar>
  );
}

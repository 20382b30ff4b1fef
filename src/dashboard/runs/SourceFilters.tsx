import { useLocation } from 'react-router';
import type { FilterFaults } from '#domain/read-filters';
import { FilterBar } from '../lists/FilterBar.tsx';
import { FilterChoice, filtersOf, FilterWords, type Option } from '../lists/FilterFields.tsx';
import { TagFilter } from './TagFilter.tsx';

type SourceFiltersProps = {
  label: string;
  /** The list without filters. */
  clearTo: string;
  /** What the search box takes. */
  words: string;
  states: readonly Option[];
  faults: FilterFaults | null;
  isNarrowed: boolean;
  tags: readonly string[];
};

/** What a list of crons or queues is narrowed to. */
export function SourceFilters(props: SourceFiltersProps) {
  const { label, clearTo, words, states, faults, isNarrowed, tags } = props;
  const filters = filtersOf(new URLSearchParams(useLocation().search), faults);
  return (
    <FilterBar label={label} {...(isNarrowed ? { clearTo } : {})}>
      <FilterWords filters={filters} placeholder={words} />
      <FilterChoice
        filters={filters}
        name="status"
        label="Status"
        options={[['', 'All'], ...states]}
      />
      <TagFilter tags={tags} filters={filters} />
    </FilterBar>
  );
}

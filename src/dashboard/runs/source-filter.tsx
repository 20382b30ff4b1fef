import { HEALTHS } from '#domain/health';
import { FilterReader, type FilterFaults, type ReadFilters } from '#domain/read-filters';
import { readTag, tagSentence } from '#domain/tags';
import { FilterBar } from '../lists/FilterBar.tsx';
import { FilterChoice, FilterWords, TagFilter, wordOptions } from '../lists/FilterFields.tsx';
import type { SourceSearch } from '../services.ts';

/** Empty if the address has none. */
export function readSourceSearch(params: URLSearchParams): ReadFilters<SourceSearch> {
  const filters = new FilterReader(params);
  return filters.finish({
    text: filters.text('q').trim() || undefined,
    health: filters.choice('status', HEALTHS),
    tag: filters.read('tag', readTag, tagSentence),
  });
}

type SourceFiltersProps = {
  of: 'crons' | 'queues';
  words: string;
  faults: FilterFaults | null;
  tags: readonly string[];
};

export function SourceFilters({ of, words, faults, tags }: SourceFiltersProps) {
  return (
    <FilterBar label={`Search ${of}`} faults={faults} clearTo={`/${of}`}>
      <FilterWords placeholder={words} />
      <FilterChoice
        name="status"
        label="Health"
        options={[['', 'Any health'], ...wordOptions(HEALTHS)]}
      />
      <TagFilter tags={tags} />
    </FilterBar>
  );
}

import { HEALTHS } from '#domain/health';
import { FilterReader, type FilterFaults, type ReadFilters } from '#domain/read-filters';
import { readTag, tagSentence } from '#domain/tags';
import { FilterBar } from '../lists/FilterBar.tsx';
import { FilterChoice, FilterWords, TagFilter, wordOptions } from '../lists/FilterFields.tsx';
import type { SourceSearch } from '../services.ts';

const filters = ['q', 'status', 'tag'] as const;

/** Empty if the address has none. */
export function readSourceSearch(params: URLSearchParams): ReadFilters<SourceSearch> {
  const reader = new FilterReader(params);
  const text = reader.text('q').trim();
  const health = reader.choice('status', HEALTHS);
  const tag = reader.read('tag', readTag, tagSentence);
  return reader.finish({ ...(text && { text }), ...(health && { health }), ...(tag && { tag }) });
}

type SourceFiltersProps = {
  of: 'crons' | 'queues';
  words: string;
  faults: FilterFaults | null;
  tags: readonly string[];
};

export function SourceFilters({ of, words, faults, tags }: SourceFiltersProps) {
  return (
    <FilterBar label={`Search ${of}`} names={filters} faults={faults} clearTo={`/${of}`}>
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

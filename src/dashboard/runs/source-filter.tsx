import { FilterReader, type FilterFaults, type ReadFilters } from '#domain/read-filters';
import { readTag, tagSentence } from '#domain/tags';
import { FilterBar } from '../lists/FilterBar.tsx';
import { FilterChoice, FilterWords, type Option, TagFilter } from '../lists/FilterFields.tsx';

const filters = ['q', 'status', 'tag'] as const;

type SourceSearch<Status> = { text?: string; status?: Status; tag?: string };

/** Reads the search of the list of crons or queues; empty if the address asks for nothing. */
export function readSourceSearch<Status extends string>(
  params: URLSearchParams,
  states: readonly (readonly [Status, string])[],
): ReadFilters<SourceSearch<Status>> {
  const reader = new FilterReader(params);
  const text = reader.text('q').trim();
  const status = reader.choice(
    'status',
    states.map(([name]) => name),
  );
  const tag = reader.read('tag', readTag, tagSentence);
  return reader.finish({ ...(text && { text }), ...(status && { status }), ...(tag && { tag }) });
}

type SourceFiltersProps = {
  of: 'crons' | 'queues';
  /** The accepted input of the search box. */
  words: string;
  states: readonly Option[];
  faults: FilterFaults | null;
  tags: readonly string[];
};

/** The filters of a list of crons or queues. */
export function SourceFilters({ of, words, states, faults, tags }: SourceFiltersProps) {
  return (
    <FilterBar label={`Search ${of}`} names={filters} faults={faults} clearTo={`/${of}`}>
      <FilterWords placeholder={words} />
      <FilterChoice name="status" label="Status" options={[['', 'All'], ...states]} />
      <TagFilter tags={tags} />
    </FilterBar>
  );
}

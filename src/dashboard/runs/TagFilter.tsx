import { readTag, tagSentence } from '#domain/tags';
import { FilterChoice, filtersOf } from '../lists/FilterFields.tsx';
import type { FilterFaults, FilterReader } from '#domain/read-filters';

/** The tag that an address asks for. */
export function readTagFilter(filters: FilterReader): { tag?: string } {
  const tag = filters.read('tag', readTag, tagSentence);
  return tag === undefined ? {} : { tag };
}

type TagFilterProps = {
  /** The tags in use. */
  tags: readonly string[];
  params: URLSearchParams;
  faults: FilterFaults | null;
};

/** Narrows a list to a tag; nothing where none is in use and none is asked for. */
export function TagFilter({ tags, params, faults }: TagFilterProps) {
  const current = params.get('tag') ?? '';
  if (tags.length === 0 && current === '') return null;
  const offered = current === '' || tags.includes(current) ? tags : [current, ...tags];
  return (
    <FilterChoice filters={filtersOf(params, faults)} name="tag" label="Tag">
      <option value="">Any tag</option>
      {offered.map((tag) => (
        <option key={tag} value={tag}>
          {tag}
        </option>
      ))}
    </FilterChoice>
  );
}

import { readTag, tagSentence } from '#domain/tags';
import { FilterChoice, type Filters } from '../lists/FilterFields.tsx';
import type { FilterReader } from '#domain/read-filters';

/** The tag that an address asks for. */
export function readTagFilter(filters: FilterReader): { tag?: string } {
  const tag = filters.read('tag', readTag, tagSentence);
  return tag === undefined ? {} : { tag };
}

type TagFilterProps = {
  /** The tags in use. */
  tags: readonly string[];
  filters: Filters;
};

/** Narrows a list to a tag; nothing where none is in use and none is asked for. */
export function TagFilter({ tags, filters }: TagFilterProps) {
  const current = filters.valueOf('tag');
  if (tags.length === 0 && current === '') return null;
  const offered = current === '' || tags.includes(current) ? tags : [current, ...tags];
  const options = [['', 'Any tag'] as const, ...offered.map((tag) => [tag, tag] as const)];
  return <FilterChoice filters={filters} name="tag" label="Tag" options={options} />;
}

import { readKeptQuery } from '#domain/run-filter';
import { readRunSearch } from '#domain/run-search';
import { findWrongName } from '#work/run-filters';
import type { RunFilter } from '#work/run-filters';
import type { Mapping } from './document.ts';

/** A saved filter of the list of runs, with the queue or cron that it is of by name: it may be made only now. */
export interface WantedRunFilter {
  name: string;
  /** By the names of the fields, `queue` and `cron` among them. */
  fields: Readonly<Record<string, string>>;
}

interface Named {
  id: string;
  name: string;
}

/** What filters may be of. */
export interface FilterSources {
  queues: readonly Named[];
  crons: readonly Named[];
}

const PLAIN = ['q', 'of', 'tag', 'status', 'reason', 'code', 'host', 'text'] as const;
const SOURCES = ['queue', 'cron'] as const;
/** Of a filter in the file, without its name. */
export const FILTER_FIELDS: readonly string[] = [...SOURCES, ...PLAIN];

/** Any id, where only the shape of an address is looked at. */
const SOME_ID = '00000000-0000-7000-8000-000000000000';

/** Reads one filter of a file by the rules of the page. @param tell  hears what is wrong with a field */
export function readRunFilter(
  mapping: Mapping,
  tell: (field: string, message: string) => void,
): WantedRunFilter {
  const fields: Record<string, string> = {};
  for (const field of FILTER_FIELDS) {
    const value = mapping.get(field) ?? null;
    if (typeof value === 'string' || typeof value === 'number') fields[field] = String(value);
    else if (value !== null) tell(field, 'It must be a text.');
  }
  const given = mapping.get('name');
  const name = typeof given === 'string' ? given : '';
  const wrongName = findWrongName(name);
  if (wrongName !== null) tell('name', wrongName);
  const about = ['of', ...SOURCES].filter((field) => fields[field] !== undefined);
  if (about.length > 1) tell(about[1] ?? '', `A filter has ${about[0]} or this, not both.`);
  const query = writeQuery(fields, () => SOME_ID);
  const { faults } = readRunSearch(new URLSearchParams(query ?? ''));
  for (const [field, sentence] of Object.entries(faults ?? {})) tell(field, sentence);
  if (faults === null && readKeptQuery(new URLSearchParams(query ?? '')) === null) {
    tell('name', 'The filter narrows nothing.');
  }
  return { name, fields };
}

/** A stored filter as a file has it; null where its queue or cron was deleted. */
export function fieldsOfFilter(
  { query }: RunFilter,
  sources: FilterSources,
): Record<string, string> | null {
  const fields = Object.fromEntries(new URLSearchParams(query));
  const [, kind, id] = /^(queue|cron):(.*)$/.exec(fields['of'] ?? '') ?? [];
  if (kind === undefined) return fields;
  const { of: _, ...others } = fields;
  const list = kind === 'queue' ? sources.queues : sources.crons;
  const name = list.find((each) => each.id === id)?.name;
  return name === undefined ? null : { ...others, [kind]: name };
}

/** A filter as the page has it; null where there is no queue or cron of that name, or several. */
export function queryOfFilter({ fields }: WantedRunFilter, sources: FilterSources): string | null {
  return writeQuery(fields, (kind, name) => {
    const list = kind === 'queue' ? sources.queues : sources.crons;
    const [found, ...others] = list.filter((each) => each.name === name);
    return others.length === 0 ? (found?.id ?? null) : null;
  });
}

function writeQuery(
  fields: Readonly<Record<string, string>>,
  findId: (kind: 'queue' | 'cron', name: string) => string | null,
): string | null {
  const params = new URLSearchParams();
  for (const field of PLAIN) if (fields[field] !== undefined) params.set(field, fields[field]);
  for (const kind of SOURCES) {
    if (fields[kind] === undefined) continue;
    const id = findId(kind, fields[kind]);
    if (id === null) return null;
    params.set('of', `${kind}:${id}`);
  }
  return params.toString();
}

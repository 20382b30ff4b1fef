import { FilterReader, type ReadFilters } from '#domain/runs/read-filters';
import { readIdCursor } from '../lists/cut-page.ts';
import type { AlertFilter, NamedSource } from '../services.ts';

export const levels = ['failure', 'warning', 'recovery', 'usage'] as const;
const deliveries = ['pending', 'sent', 'muted', 'failed'] as const;

/** `cron`, `queue`, `cron:<id>` or `queue:<id>`. */
type SourceChoice = { kind: 'cron' | 'queue'; id: string | null };

type AlertSearch = Omit<AlertFilter, 'limit'>;

/** `level`, `source`, `delivery`, `unread`, and cursors. */
export function readAlertSearch(params: URLSearchParams): ReadFilters<AlertSearch> {
  const filters = new FilterReader(params);
  const source = filters.read(
    'source',
    readSourceChoice,
    'This is neither a cron nor a queue of the team.',
  );
  return filters.finish<AlertSearch>({
    level: filters.choice('level', levels),
    delivery: filters.choice('delivery', deliveries),
    ...(source &&
      (source.id === null
        ? { sourceKind: source.kind }
        : { source: { kind: source.kind, id: source.id } })),
    unreadOnly: filters.isTicked('unread') || undefined,
    ...readIdCursor(params),
  });
}

export function readSourceChoice(text: string): SourceChoice | null {
  const [, kind, id] = /^(cron|queue)(?::([\w-]{1,64}))?$/.exec(text) ?? [];
  if (kind !== 'cron' && kind !== 'queue') return null;
  return { kind, id: id ?? null };
}

/** Others are reached from their own pages. */
const MOST_OFFERED = 200;

/** @param chosen is always offered */
export function offerSources(sources: readonly NamedSource[], chosen: string | null) {
  const counts = { cron: 0, queue: 0 };
  return sources.filter(
    ({ kind, id }) => ++counts[kind] <= MOST_OFFERED || `${kind}:${id}` === chosen,
  );
}

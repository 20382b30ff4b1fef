/** The filters of the Alerts page, as its address has them. */
import { FilterReader, type ReadFilters } from '#domain/read-filters';
import type { AlertFilter } from '../services.ts';

export const levels = ['failure', 'warning', 'recovery', 'usage'] as const;
export const deliveries = ['pending', 'sent', 'muted', 'failed'] as const;

/** `cron`, `queue`, or one of them as `cron:<id>`. */
type SourceChoice = { kind: 'cron' | 'queue'; id: string | null };

type AlertSearch = Omit<AlertFilter, 'limit'>;

/** Reads `level`, `source`, `delivery`, `unread`, and the cursors of `Pagination`. */
export function readAlertSearch(params: URLSearchParams): ReadFilters<AlertSearch> {
  const filters = new FilterReader(params);
  const level = filters.choice('level', levels);
  const delivery = filters.choice('delivery', deliveries);
  const source = filters.read(
    'source',
    readSourceChoice,
    'This is neither a cron nor a queue of the team.',
  );
  const unreadOnly = filters.isTicked('unread');
  const older = params.get('after');
  const newer = params.get('before');
  return filters.finish({
    ...(level && { level }),
    ...(delivery && { delivery }),
    ...(source && (source.id === null ? { sourceKind: source.kind } : { source: idOf(source) })),
    ...(unreadOnly && { unreadOnly }),
    ...(older ? { before: older } : newer ? { after: newer } : {}),
  });
}

function idOf({ kind, id }: SourceChoice): { kind: 'cron' | 'queue'; id: string } {
  return { kind, id: id ?? '' };
}

export function readSourceChoice(text: string): SourceChoice | null {
  const [, kind, id] = /^(cron|queue)(?::([\w-]{1,64}))?$/.exec(text) ?? [];
  if (kind !== 'cron' && kind !== 'queue') return null;
  return { kind, id: id ?? null };
}

/** Whether a filter leaves anything out. */
export function isNarrowed(params: URLSearchParams): boolean {
  return ['level', 'source', 'delivery', 'unread'].some((name) => params.get(name));
}

import { formatMillis } from '#domain/base/instant';
import type { FoundRun } from '#store/lists/search';

/** `attemptNumber` → `attempt_number` */
type Snake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Text;

type Cell = string | number | boolean | null;
type RecordOf<Name extends string> = { [Each in Name]: Each extends 'id' ? string : Cell };
type NamesOf<Thing> = Snake<keyof Thing & string>;

/** In snake case. Instants (`_at`, `_for`) are texts. */
export function recordOf<Thing extends object, Name extends NamesOf<Thing>>(
  thing: Thing,
  names: readonly Name[],
): RecordOf<Name> {
  const values = new Map<string, unknown>(Object.entries(thing));
  const members = names.map((name) => {
    const key = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const value = values.get(key) ?? null;
    const isInstant = typeof value === 'number' && /(?:^|_)(?:at|for)$/.test(name);
    return [name, isInstant ? formatMillis(value) : value];
  });
  return Object.fromEntries(members) as RecordOf<Name>;
}

/** In the order of a file's columns. */
export const RUN_COLUMNS = [
  'id',
  'kind',
  'completed_at',
  'source_id',
  'source',
  'method',
  'url',
  'status',
  'attempt_number',
  'scheduled_at',
  'started_at',
  'duration_ms',
  'response_status',
  'reason',
  'fault',
  'error_message',
  'retried_as',
  'actor',
] as const;

export function writeRun(run: FoundRun) {
  const kind = run.kind === 'job' ? 'job' : 'cron';
  const all = { ...run, kind, completedAt: run.at, source: run.sourceName };
  return recordOf(all, RUN_COLUMNS);
}

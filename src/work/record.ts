import { formatMillis } from '#domain/base/instant';

/** `attemptNumber` → `attempt_number` */
type Snake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Text;

type Cell = string | number | null;
type NamesOf<Thing> = Snake<keyof Thing & string>;

/** In snake case. Instants (`_at`, `_for`) are texts. */
export function recordOf<Thing extends object, Name extends NamesOf<Thing>>(
  thing: Thing,
  names: readonly Name[],
): Record<Name, Cell> {
  const values = new Map<string, unknown>(Object.entries(thing));
  const members = names.map((name) => {
    const key = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const value = values.get(key) ?? null;
    const isInstant = typeof value === 'number' && /_(?:at|for)$/.test(name);
    return [name, isInstant ? formatMillis(value) : value];
  });
  return Object.fromEntries(members) as Record<Name, Cell>;
}

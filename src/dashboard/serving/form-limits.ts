/** How much a form may hold. A form with more is refused as a whole, before anything reads a field of it. */

const KIB = 1_024;
const MIB = KIB * KIB;

/** By page: who may open it, and whether its form has a payload. */
const PAGES = {
  anybody: { bytes: 64 * KIB, fields: 100, words: '64 KiB and 100 fields' },
  'signed-in': { bytes: 256 * KIB, fields: 3_000, words: '256 KiB and 3,000 fields' },
  'with-payload': { bytes: 2 * MIB, fields: 3_000, words: '2 MiB and 3,000 fields' },
} as const;

export type FormKind = keyof typeof PAGES;
export const limitsOf = (kind: FormKind) => PAGES[kind];

/** The longest value of a field, in UTF-16 units. A URL of 2,048 characters has at most twice as many units. */
const VALUE = 4 * KIB;

/** Fields with longer values, by name. */
const LONGER: ReadonlyMap<string, number> = new Map([
  // As much as the API takes.
  ['payload', MIB],
  // The body of a received request, to check its signature.
  ['body', MIB],
  ['paste', 256 * KIB],
  ['headers', 64 * KIB],
  ['assertion_value', 16 * KIB],
  // The response of an authenticator.
  ['answer', 64 * KIB],
  // Addresses of our own pages, with their filters.
  ['next', 16 * KIB],
  ['group', 16 * KIB],
]);

/** How many values of one name a form may hold. */
const VALUES = 100;

/** Fields with a value for each row or choice. */
const LISTS: ReadonlySet<string> = new Set(['id', 'sources[]']);

/** The field that holds too much, and how much it may hold, in words. */
export type TooMuch = { field: string; most: string };

/** Finds the first field with too long a value, or with too many values. */
export function findTooMuch(form: FormData): TooMuch | null {
  const counts = new Map<string, number>();
  for (const [field, value] of form) {
    const most = LONGER.get(field) ?? VALUE;
    if (typeof value === 'string' && value.length > most)
      return { field, most: `${most.toLocaleString('en')} characters` };
    const count = (counts.get(field) ?? 0) + 1;
    if (count > VALUES && !LISTS.has(field)) return { field, most: `${VALUES} values` };
    counts.set(field, count);
  }
  return null;
}

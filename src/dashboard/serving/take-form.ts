/** A larger form is refused before a field is read. */
import { data } from 'react-router';
import { readPairs } from '#domain/http/form-pairs';
import { requestFacts, type Context } from '../context.ts';

const KIB = 1_024;
const MIB = KIB * KIB;

/** By who may open the page, and whether it has a payload. */
const PAGES = {
  anybody: { bytes: 64 * KIB, fields: 100, words: '64 KiB and 100 fields' },
  'signed-in': { bytes: 256 * KIB, fields: 3_000, words: '256 KiB and 3,000 fields' },
  'with-payload': { bytes: 2 * MIB, fields: 3_000, words: '2 MiB and 3,000 fields' },
} as const;

type FormKind = keyof typeof PAGES;

/** UTF-16 units: a URL of 2,048 characters has at most twice as many. */
const VALUE = 4 * KIB;

export const LONG_FIELDS: ReadonlyMap<string, number> = new Map([
  // As the API.
  ['payload', MIB],
  ['paste', 256 * KIB],
  ['headers', 64 * KIB],
  ['assertion_value', 16 * KIB],
  ['email-addresses_addresses', 16 * KIB],
  ['answer', 64 * KIB],
  // With filters.
  ['next', 16 * KIB],
  ['group', 16 * KIB],
]);

/** The most values of one field. */
const VALUES = 100;

/** A value for each row or choice. */
const LISTS: ReadonlySet<string> = new Set(['id', 'sources[]']);

export type TooMuch = { field: string; most: string };

function findTooMuch(form: FormData): TooMuch | null {
  const counts = new Map<string, number>();
  for (const [field, value] of form) {
    const most = LONG_FIELDS.get(field) ?? VALUE;
    if (typeof value === 'string' && value.length > most)
      return { field, most: `${most.toLocaleString('en')} characters` };
    const count = (counts.get(field) ?? 0) + 1;
    if (count > VALUES && !LISTS.has(field)) return { field, most: `${VALUES} values` };
    counts.set(field, count);
  }
  return null;
}

/** Or throws a page: 408, 413 or 415. */
export async function takeForm(
  request: Request,
  context: Context,
  kind: FormKind,
): Promise<FormData> {
  const { bytes: maxBytes, fields, words } = PAGES[kind];
  const body = await context.get(requestFacts).readBody(maxBytes);
  if (body.kind === 'too-slow') throw data(null, { status: 408 });
  if (body.kind === 'too-large') throw data({ limit: words }, { status: 413 });
  const type = request.headers.get('Content-Type')?.split(';', 1)[0]?.trim().toLowerCase();
  // A button without fields may be sent without body and type.
  if (type !== 'application/x-www-form-urlencoded' && (type || body.bytes.length > 0))
    throw data(null, { status: 415 });
  const pairs = readPairs(Buffer.from(body.bytes), fields);
  if (pairs === null) throw data({ limit: words }, { status: 413 });
  const form = new FormData();
  for (const [name, value] of pairs) form.append(name, value);
  const tooMuch = findTooMuch(form);
  if (tooMuch !== null) throw data(tooMuch, { status: 413 });
  return form;
}

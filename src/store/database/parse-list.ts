/** Reads a list that is stored as JSON. Throws where it is none. */
export function parseList<Item>(text: string): Item[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value as Item[];
}

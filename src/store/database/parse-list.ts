/** Throws if the text is no list. */
export function parseList<Item>(text: string): Item[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value as Item[];
}

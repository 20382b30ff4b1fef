/** Throws if the text is no list. */
export function parseList<Item>(text: string): Item[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value as Item[];
}

/** The other one if there is no text, or it is damaged. */
export function listOr<Item>(text: string | null, other: Item[]): Item[] {
  try {
    return text === null ? other : parseList<Item>(text);
  } catch {
    return other;
  }
}

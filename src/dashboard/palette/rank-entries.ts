export type Entry = {
  name: string;
  to: string;
  /** At the row's end. */
  hint?: string;
  /** By its id or URL. */
  isFound?: boolean;
};

const MOST_SHOWN = 12;

/** 0 is best; null if a word is missing. */
function distanceOf({ name, isFound = false }: Entry, words: readonly string[]): number | null {
  const lower = name.toLowerCase();
  const query = words.join(' ');
  if (lower === query) return 0;
  if (lower.startsWith(query)) return 1;
  const parts = lower.split(/[^\p{L}\p{N}]+/u);
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 2;
  if (words.every((word) => lower.includes(word))) return 3;
  return isFound ? 4 : null;
}

/** Shorter names first among equal matches. */
export function rankEntries(query: string, entries: readonly Entry[]): Entry[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [...entries];
  const ranked = entries.flatMap((entry) => {
    const distance = distanceOf(entry, words);
    return distance === null ? [] : [{ entry, distance }];
  });
  return ranked
    .toSorted((a, b) => a.distance - b.distance || a.entry.name.length - b.entry.name.length)
    .slice(0, MOST_SHOWN)
    .map(({ entry }) => entry);
}

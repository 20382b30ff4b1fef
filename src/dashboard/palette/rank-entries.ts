/** What the palette (Ctrl-K) offers, and in which order. */

export type Entry = {
  name: string;
  /** Where it leads, or what takes its form. */
  to: string;
  /** What it is, or its keys; stands at the row's end. */
  hint?: string;
  isKeys?: boolean;
  /** Found by the server by something else than its name, such as its id or URL. */
  isFound?: boolean;
  /** Done to something that has an entry of its own, which comes first. */
  isAction?: boolean;
  /** Set for what is done rather than opened: the fields of a form. */
  post?: Readonly<Record<string, string>>;
};

const MOST_SHOWN = 12;

/** How far a name is from what was typed; null: a word is missing. */
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

/** The best match first; of equal ones things before actions, then the shorter name, then as they were given. Nothing typed: as they are. */
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
    .toSorted(
      (a, b) =>
        a.distance - b.distance ||
        Number(a.entry.isAction ?? false) - Number(b.entry.isAction ?? false) ||
        a.entry.name.length - b.entry.name.length,
    )
    .slice(0, MOST_SHOWN)
    .map(({ entry }) => entry);
}

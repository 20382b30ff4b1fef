/** Short words that a team files its crons and queues under (§2.13). */

export const MOST_TAGS = 10;
export const TAG_CHARACTERS = 32;

/** Neither quotes nor back slashes: a tag stands in JSON as it is, so that a database finds it there. */
const TAG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._:/-]*$/u;

/** A tag as it is kept, in small letters; null for what can be none. */
export function readTag(text: string): string | null {
  const tag = text.trim().normalize('NFC').toLowerCase();
  return TAG.test(tag) && Array.from(tag).length <= TAG_CHARACTERS ? tag : null;
}

/** The words of a text, whatever stands between them: `billing, nightly` or `billing nightly`. */
export function splitTags(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** In one order, each once. */
export function sortTags(tags: Iterable<string>): string[] {
  return [...new Set(tags)].toSorted();
}

/** As they are kept: null for none. */
export function writeTags(tags: readonly string[]): string | null {
  return tags.length === 0 ? null : JSON.stringify(sortTags(tags));
}

/** What can't be read is no tag. Never throws. */
export function readTags(kept: string | null): string[] {
  if (kept === null) return [];
  try {
    const list = JSON.parse(kept) as unknown;
    return Array.isArray(list) ? list.filter((tag) => typeof tag === 'string') : [];
  } catch {
    return [];
  }
}

/** What stands in a kept list that has the tag, and in no other. */
export function tagInList(tag: string): string {
  return JSON.stringify(tag);
}

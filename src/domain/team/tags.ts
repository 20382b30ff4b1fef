import { isLongerThan } from '../base/text-length.ts';

export const MOST_TAGS = 10;
export const TAG_CHARACTERS = 32;

/** Without quotes and backslashes, so the database can search for a tag in JSON. */
const TAG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._:/-]*$/u;

/** A letter has at most four characters. */
const LONGEST_SPELLING = 4 * TAG_CHARACTERS;

/** In lower case; null if invalid. */
export function readTag(text: string): string | null {
  const written = text.trim();
  if (isLongerThan(written, LONGEST_SPELLING)) return null;
  const tag = written.normalize('NFC').toLowerCase();
  return TAG.test(tag) && !isLongerThan(tag, TAG_CHARACTERS) ? tag : null;
}

export const tagSentence = 'This can be no tag.';

export function writeTags(tags: readonly string[]): string | null {
  return tags.length === 0 ? null : JSON.stringify([...new Set(tags)].toSorted());
}

/** Unreadable tags count as none. */
export function readTags(kept: string | null): string[] {
  if (kept === null) return [];
  try {
    const list = JSON.parse(kept) as unknown;
    return Array.isArray(list) ? list.filter((tag) => typeof tag === 'string') : [];
  } catch {
    return [];
  }
}

/** Only a stored list with this tag contains the text. */
export function tagInList(tag: string): string {
  return JSON.stringify(tag);
}

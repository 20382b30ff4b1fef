/** Short words that a team files its crons and queues under (§2.13). */

import { isLongerThan } from './text-length.ts';

export const MOST_TAGS = 10;
export const TAG_CHARACTERS = 32;

/** A tag has neither quotes nor backslashes, so that JSON holds it unescaped and a database can search for it there. */
const TAG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._:/-]*$/u;

/** No letter is written with more characters than four. */
const LONGEST_SPELLING = 4 * TAG_CHARACTERS;

/** A tag as stored, in lower case; null if the text can't be a tag. */
export function readTag(text: string): string | null {
  const written = text.trim();
  if (isLongerThan(written, LONGEST_SPELLING)) return null;
  const tag = written.normalize('NFC').toLowerCase();
  return TAG.test(tag) && !isLongerThan(tag, TAG_CHARACTERS) ? tag : null;
}

/** The error of a filter for an invalid tag. */
export const tagSentence = 'This can be no tag.';

/** Splits a text at commas and white space: `billing, nightly` or `billing nightly`. */
export function splitTags(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** Sorts tags and removes duplicates. */
export function sortTags(tags: Iterable<string>): string[] {
  return [...new Set(tags)].toSorted();
}

/** Tags as JSON for the database: null for none. */
export function writeTags(tags: readonly string[]): string | null {
  return tags.length === 0 ? null : JSON.stringify(sortTags(tags));
}

/** Reads stored tags. Unreadable ones count as none. Never throws. */
export function readTags(kept: string | null): string[] {
  if (kept === null) return [];
  try {
    const list = JSON.parse(kept) as unknown;
    return Array.isArray(list) ? list.filter((tag) => typeof tag === 'string') : [];
  } catch {
    return [];
  }
}

/** The text to search for in a stored list: only a list with this tag contains it. */
export function tagInList(tag: string): string {
  return JSON.stringify(tag);
}

import { MOST_TAGS, readTag, sortTags, splitTags, TAG_CHARACTERS } from '#domain/tags';
import type { JsonField } from '#domain/json-text';

const TEXTS = {
  notAList: 'Tags must be a list of words.',
  tooMany: `There can be at most ${MOST_TAGS} tags.`,
  wrong: (word: string) =>
    `${JSON.stringify(word)} can be no tag: up to ${TAG_CHARACTERS} letters, digits and . _ : / -, a letter or digit first.`,
} as const;

/**
 * Reads tags: a list, or a text with commas or white space between the words.
 *
 * @returns in small letters, in order, each once; undefined if they are wrong, which `add` is told
 */
export function readTags(
  given: JsonField,
  add: (message: string) => void,
): readonly string[] | undefined {
  const words = wordsOf(given);
  if (typeof words === 'string') {
    add(TEXTS[words]);
    return undefined;
  }
  const read = words.map((word) => [word, readTag(word)] as const);
  // The message names only one wrong tag.
  const wrong = read.find(([, tag]) => tag === null);
  if (wrong) add(TEXTS.wrong(wrong[0].slice(0, 2 * TAG_CHARACTERS)));
  const kept = sortTags(read.flatMap(([, tag]) => tag ?? []));
  if (kept.length > MOST_TAGS) add(TEXTS.tooMany);
  return kept;
}

/** Room for the most tags, each written several times and in the longest way. */
const LONGEST_LIST = 4_096;

function wordsOf(given: JsonField): string[] | 'notAList' | 'tooMany' {
  if (given.kind !== 'string' && given.kind !== 'array') return 'notAList';
  if (given.raw.length > LONGEST_LIST) return 'tooMany';
  if (given.kind === 'string') return splitTags(given.value);
  const list = JSON.parse(given.raw) as unknown[];
  return list.every((each) => typeof each === 'string') ? list : 'notAList';
}

/** Reads one tag: its stored form, or what is wrong with it. */
export function readOneTag(text: string): { tag: string } | { error: string } {
  const tag = readTag(text);
  return tag === null ? { error: TEXTS.wrong(text.slice(0, 2 * TAG_CHARACTERS)) } : { tag };
}

import { MOST_TAGS, readTag, sortTags, splitTags, TAG_CHARACTERS } from '#domain/tags';
import type { JsonField } from '#domain/json/text';

const TEXTS = {
  notAList: 'Tags must be a list of words.',
  tooMany: `There can be at most ${MOST_TAGS} tags.`,
  wrong: (word: string) =>
    `${JSON.stringify(word)} can be no tag: up to ${TAG_CHARACTERS} letters, digits and . _ : / -, a letter or digit first.`,
} as const;

/** @returns in small letters, in order, each once; undefined if they are wrong */
export function readTags(
  given: JsonField,
  report: (message: string) => undefined,
): readonly string[] | undefined {
  const words = wordsOf(given);
  if (typeof words === 'string') return report(TEXTS[words]);
  // The message names only one wrong tag.
  const wrong = words.find((word) => readTag(word) === null);
  if (wrong !== undefined) report(TEXTS.wrong(wrong.slice(0, 2 * TAG_CHARACTERS)));
  const kept = sortTags(words.flatMap((word) => readTag(word) ?? []));
  return kept.length > MOST_TAGS ? report(TEXTS.tooMany) : kept;
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

/** Its stored form, or its error. */
export function readOneTag(text: string): { tag: string } | { error: string } {
  const tag = readTag(text);
  return tag === null ? { error: TEXTS.wrong(text.slice(0, 2 * TAG_CHARACTERS)) } : { tag };
}

import { MOST_TAGS, readTag, sortTags, splitTags, TAG_CHARACTERS } from '#domain/tags';
import type { JsonField } from '#domain/json/text';

export interface WordRule {
  most: number;
  /** The stored form, or null if it is wrong. */
  read: (word: string) => string | null;
  texts: { notAList: string; tooMany: string; wrong: (word: string) => string };
}

export const TAG_RULE: WordRule = {
  most: MOST_TAGS,
  read: readTag,
  texts: {
    notAList: 'Tags must be a list of words.',
    tooMany: `There can be at most ${MOST_TAGS} tags.`,
    wrong: (word) =>
      `${JSON.stringify(word.slice(0, 2 * TAG_CHARACTERS))} can be no tag: up to ${TAG_CHARACTERS} letters, digits and . _ : / -, a letter or digit first.`,
  },
};

/** @returns in their stored form, in order, each once; undefined if they are wrong */
export function readWords(
  { most, read, texts }: WordRule,
  given: JsonField,
  report: (message: string) => undefined,
): readonly string[] | undefined {
  const words = wordsOf(given);
  if (typeof words === 'string') return report(texts[words]);
  // The message names only one wrong word.
  const wrong = words.find((word) => read(word) === null);
  if (wrong !== undefined) report(texts.wrong(wrong));
  const kept = sortTags(words.flatMap((word) => read(word) ?? []));
  return kept.length > most ? report(texts.tooMany) : kept;
}

/** Room for the most words, each written several times and in the longest way. */
const LONGEST_LIST = 8_192;

function wordsOf(given: JsonField): string[] | 'notAList' | 'tooMany' {
  if (given.kind !== 'string' && given.kind !== 'array') return 'notAList';
  if (given.raw.length > LONGEST_LIST) return 'tooMany';
  if (given.kind === 'string') return splitTags(given.value);
  const list = JSON.parse(given.raw) as unknown[];
  return list.every((each) => typeof each === 'string') ? list : 'notAList';
}

export function readOneTag(text: string): { tag: string } | { error: string } {
  const tag = readTag(text);
  return tag === null ? { error: TAG_RULE.texts.wrong(text) } : { tag };
}

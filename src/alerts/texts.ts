import { cut } from '#domain/base/text-length';

const EXCERPT_CHARACTERS = 500;

/** Marks that change the direction of writing can make a text read differently. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function oneLine(text: string, most: number): string {
  const line = text.toWellFormed().replace(DIRECTION_MARKS, '');
  return cut(line.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim(), most);
}

/** Encodes characters that could end the URL in some markup. */
export function plainUrl(url: string): string {
  const { href } = new URL(url);
  return href.replace(/[|<>"'`()[\]{}\\^*\s]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

export function excerptOf(
  bytes: Uint8Array,
  hide: (text: string) => string = (text) => text,
): string | null {
  // With `stream`, a cut character is left out.
  const text = new TextDecoder().decode(bytes, { stream: true });
  if (text.slice(0, EXCERPT_CHARACTERS).includes('\0')) return null;
  const readable = hide(text)
    .replace(/\r\n?/g, '\n')
    .replace(DIRECTION_MARKS, '')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .trim();
  return readable === '' ? null : cut(readable, EXCERPT_CHARACTERS);
}

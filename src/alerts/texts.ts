/** Texts from outside, made fit to be shown. */

import { cut } from './channels/message.ts';
import { hideEchoes } from './echoes.ts';

const EXCERPT_CHARACTERS = 500;

/** Marks that turn the direction of writing: with them a text can show something else than it says. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text on one line, without control characters, cut to so many characters. */
export function oneLine(text: string, most: number): string {
  const line = text.toWellFormed().replace(DIRECTION_MARKS, '');
  return cut(line.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim(), most);
}

/** An address with everything escaped that some markup could end it by; it leads to the same place. */
export function plainUrl(url: string): string {
  const { href } = new URL(url);
  return href.replace(/[|<>"'`()[\]{}\\^*\s]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

/** The start of a response as text, without what it repeats of `secrets`; null where it is empty or no text. */
export function excerptOf(bytes: Uint8Array, secrets: readonly string[] = []): string | null {
  // `stream` leaves out a character that was cut in two.
  const text = new TextDecoder().decode(bytes, { stream: true });
  if (text.slice(0, EXCERPT_CHARACTERS).includes('\0')) return null;
  const readable = hideEchoes(text, secrets)
    .replace(/\r\n?/g, '\n')
    .replace(DIRECTION_MARKS, '')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .trim();
  return readable === '' ? null : cut(readable, EXCERPT_CHARACTERS);
}

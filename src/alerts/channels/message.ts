import type { AlertLevel } from '#domain/alert-streak';

/**
 * What is said of an alert, before any channel gives it its own form. Every text comes from outside in
 * part (names, errors, responses): a channel escapes what its format would read as markup.
 */
export interface Message {
  level: AlertLevel | 'test';
  teamName: string;
  /** One line. */
  title: string;
  /** One line each. */
  facts: readonly { label: string; value: string }[];
  /** The start of the response, or null where there is none that can be read. */
  excerpt: string | null;
  link: { label: string; url: string };
}

/** A text of so many characters (code points) at most. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = Array.from(text.slice(0, 2 * most + 1));
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/**
 * Paths into a JSON value (§2.4): `data.items[0].id`, `$.data.items[0].id`, `data["odd key"]`.
 * One path names one place; there are no wildcards.
 */

/** A key of an object, or a place in a list. */
export type PathStep = string | number;

/** How long the text of a path may be, in characters. */
export const MAX_PATH_LENGTH = 1000;

/** One step, from the end of the last one: `.name`, `[0]`, `["key"]` or `['key']`. */
const STEP =
  /\.([^.[\]"']+)|\[(0|[1-9]\d{0,8})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/suy;

/** Reads a path; null if the text is not one. `$` alone is the whole value; an empty text is not a path. */
export function parsePath(text: string): PathStep[] | null {
  if (text === '' || text.length > MAX_PATH_LENGTH) return null;
  let rest = text;
  if (text === '$' || /^\$[.[]/.test(text)) rest = text.slice(1);
  else if (!text.startsWith('[')) rest = `.${text}`;
  return readSteps(rest);
}

function readSteps(text: string): PathStep[] | null {
  const steps: PathStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text);
    if (step === null) return null;
    const [, name, index, doubleQuoted, singleQuoted] = step;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(name ?? unescapeKey(doubleQuoted ?? singleQuoted ?? ''));
  }
  return steps;
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Removes JSON's escapes. A backslash before any other character is dropped. */
function unescapeKey(text: string): string {
  return text.replace(/\\(?:u([\da-fA-F]{4})|(.))/gsu, (_, hex?: string, character = '') =>
    hex === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(parseInt(hex, 16)),
  );
}

/** The index in a list that a step names; null if it names none. */
export function placeInList(step: PathStep): number | null {
  if (typeof step === 'number') return step;
  return /^(?:0|[1-9]\d{0,8})$/.test(step) ? Number(step) : null;
}

/** Paths such as `data.items[0].id`, `$.data.items[0].id` and `data["odd key"]` (§2.4). No wildcards. */

export type PathStep = string | number;

export const MAX_PATH_LENGTH = 1000;

/** `.name`, `[0]`, `["key"]` or `['key']`. */
const STEP =
  /\.([^.[\]"']+)|\[(0|[1-9]\d{0,8})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/suy;

/** Null if it isn't one. `$` is the whole value; an empty text isn't a path. */
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

/** A backslash before other characters is dropped. */
function unescapeKey(text: string): string {
  return text.replace(/\\(?:u([\da-fA-F]{4})|(.))/gsu, (_, hex?: string, character = '') =>
    hex === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(parseInt(hex, 16)),
  );
}

/** Null if the step is no index. */
export function placeInList(step: PathStep): number | null {
  if (typeof step === 'number') return step;
  return /^(?:0|[1-9]\d{0,8})$/.test(step) ? Number(step) : null;
}

export type ShellItem = { kind: 'word'; text: string } | { kind: 'operator'; text: string };

interface ShellWords {
  items: ShellItem[];
  isOpen: boolean;
  /** `$NAME`, `$(…)` or back quotes. */
  hasExpansions: boolean;
}

/** `end` is empty if a quoted part isn't closed. */
const PART =
  /\\(?<escaped>\r?\n|[^]?)|'(?<single>[^']*)(?<end>'?)|"(?<double>(?:[^"\\]+|\\[^]?)*)(?<end>"?)|\$'(?<ansi>(?:[^'\\]+|\\[^])*)(?<end>'?)|(?<space>\s)|(?<operator>[|&;<>()])|(?<plain>[^])/y;
const EXPANSION = /`|\$[A-Za-z_{(]/;

/** Like a POSIX shell (with bash's `$'…'`), without expanding anything. Takes linear time. */
export function splitShellWords(text: string): ShellWords {
  const found: ShellWords = { items: [], isOpen: false, hasExpansions: false };
  /** Null between words; `''` is a word. */
  let word: string | null = null;
  const add = (part: string) => void (word = (word ?? '') + part);
  const endWord = () => {
    if (word !== null) found.items.push({ kind: 'word', text: word });
    word = null;
  };
  PART.lastIndex = 0;
  for (let part = PART.exec(text)?.groups; part; part = PART.exec(text)?.groups) {
    const { escaped, single, double, ansi, end, space, operator, plain } = part;
    found.isOpen ||= end === '';
    if (escaped !== undefined) {
      if (!escaped.endsWith('\n')) add(escaped);
    } else if (single !== undefined) add(single);
    else if (ansi !== undefined) add(unescapeAnsi(ansi));
    else if (double !== undefined) {
      found.hasExpansions ||= EXPANSION.test(double.replaceAll(/\\[^]/g, ' '));
      add(double.replaceAll(/\\(?:\n|(["\\$`]))/g, (_, quoted?: string) => quoted ?? ''));
    } else if (space !== undefined) endWord();
    else if (operator !== undefined) {
      // In `2>` the number is a file descriptor.
      if ('<>'.includes(operator) && /^\d$/.test(word ?? '')) word = null;
      endWord();
      found.items.push({ kind: 'operator', text: operator });
    } else if (plain === '#' && word === null) {
      const lineEnd = text.indexOf('\n', PART.lastIndex);
      PART.lastIndex = lineEnd < 0 ? text.length : lineEnd;
    } else if (plain !== undefined) {
      found.hasExpansions ||= EXPANSION.test(plain + text.charAt(PART.lastIndex));
      add(plain);
    }
  }
  endWord();
  return found;
}

const ANSI: Record<string, string> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\u0007',
  b: '\b',
  e: '\u001B',
  f: '\f',
  v: '\v',
};

function unescapeAnsi(text: string): string {
  return text.replaceAll(
    /\\(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|x([0-9a-fA-F]{1,2})|([^]))/g,
    (_, short?: string, long?: string, byte?: string, character?: string) => {
      if (character !== undefined) return ANSI[character] ?? character;
      const code = Number.parseInt(short ?? long ?? byte ?? '', 16);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\u{FFFD}';
    },
  );
}

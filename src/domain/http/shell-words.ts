/** Like a POSIX shell (with bash's `$'…'`), without expanding anything. Operators are items. Takes linear time. */
export type ShellItem = { kind: 'word'; text: string } | { kind: 'operator'; text: string };

interface ShellWords {
  items: ShellItem[];
  isOpen: boolean;
  /** `$NAME`, `$(…)` or back quotes. */
  hasExpansions: boolean;
}

export function splitShellWords(text: string): ShellWords {
  return new Splitter(text).run();
}

const OPERATORS = '|&;<>()';
const EXPANSION = /`|\$[A-Za-z_{(]/;

class Splitter {
  readonly #text: string;
  readonly #items: ShellItem[] = [];
  #at = 0;
  /** Null between words; `''` is a word. */
  #word: string | null = null;
  #isOpen = false;
  #hasExpansions = false;

  constructor(text: string) {
    this.#text = text;
  }

  run(): ShellWords {
    while (this.#at < this.#text.length) this.#step(this.#text.charAt(this.#at));
    this.#endWord();
    return { items: this.#items, isOpen: this.#isOpen, hasExpansions: this.#hasExpansions };
  }

  #step(character: string): void {
    if (character === '\\') return this.#escape();
    if (character === "'") return this.#single();
    if (character === '"') return this.#double();
    if (character === '$' && this.#text.charAt(this.#at + 1) === "'") return this.#ansi();
    this.#at++;
    if (/\s/.test(character)) return this.#endWord();
    if (character === '#' && this.#word === null) return this.#comment();
    if (OPERATORS.includes(character)) return this.#operator(character);
    this.#hasExpansions ||= EXPANSION.test(character + this.#text.charAt(this.#at));
    this.#word = (this.#word ?? '') + character;
  }

  #endWord(): void {
    if (this.#word !== null) this.#items.push({ kind: 'word', text: this.#word });
    this.#word = null;
  }

  #comment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #operator(character: string): void {
    // In `2>` the number is a file descriptor.
    if ('<>'.includes(character) && this.#word !== null && /^\d$/.test(this.#word)) {
      this.#word = null;
    }
    this.#endWord();
    this.#items.push({ kind: 'operator', text: character });
  }

  #escape(): void {
    const next = this.#text.charAt(this.#at + 1);
    const isLineEnd = next === '\n' || (next === '\r' && this.#text.charAt(this.#at + 2) === '\n');
    this.#at += isLineEnd && next === '\r' ? 3 : 2;
    if (!isLineEnd) this.#word = (this.#word ?? '') + next;
  }

  #single(): void {
    this.#addQuoted(this.#match(/'([^']*)('?)/y));
  }

  #double(): void {
    const [inner, end] = this.#match(/"((?:[^"\\]+|\\[^]?)*)("?)/y);
    this.#hasExpansions ||= EXPANSION.test(inner.replaceAll(/\\[^]/g, ' '));
    const plain = inner.replaceAll(/\\(?:\n|(["\\$`]))/g, (_, escaped?: string) => escaped ?? '');
    this.#addQuoted([plain, end]);
  }

  /** Bash's `$'…'`, which browsers use in "copy as curl". */
  #ansi(): void {
    const [inner, end] = this.#match(/\$'((?:[^'\\]+|\\[^])*)('?)/y);
    this.#addQuoted([unescapeAnsi(inner), end]);
  }

  /** The groups of a quoted part: its content, and the closing quote. */
  #match(part: RegExp): [inner: string, end: string] {
    part.lastIndex = this.#at;
    const [whole = '', inner = '', end = ''] = part.exec(this.#text) ?? [];
    this.#at += whole.length;
    return [inner, end];
  }

  #addQuoted([inner, end]: [inner: string, end: string]): void {
    this.#isOpen ||= end === '';
    this.#word = (this.#word ?? '') + inner;
  }
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

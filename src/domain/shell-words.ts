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
    if (character === '`') this.#hasExpansions = true;
    if (character === '$') this.#noteExpansion();
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
    const end = this.#text.indexOf("'", this.#at + 1);
    this.#isOpen ||= end < 0;
    const until = end < 0 ? this.#text.length : end;
    this.#word = (this.#word ?? '') + this.#text.slice(this.#at + 1, until);
    this.#at = until + 1;
  }

  #double(): void {
    const parts: string[] = [];
    let at = this.#at + 1;
    for (; at < this.#text.length && this.#text.charAt(at) !== '"'; at++) {
      const character = this.#text.charAt(at);
      const next = this.#text.charAt(at + 1);
      if (character === '\\' && next !== '' && '"\\$`\n'.includes(next)) {
        at++;
        if (next !== '\n') parts.push(next);
        continue;
      }
      if (character === '`') this.#hasExpansions = true;
      if (character === '$' && /[A-Za-z_{(]/.test(next)) this.#hasExpansions = true;
      parts.push(character);
    }
    this.#isOpen ||= at >= this.#text.length;
    this.#word = (this.#word ?? '') + parts.join('');
    this.#at = at + 1;
  }

  /** Bash's `$'…'`, which browsers use in "copy as curl". */
  #ansi(): void {
    const match = /^\$'((?:[^'\\]|\\[^])*)'?/.exec(this.#text.slice(this.#at));
    const whole = match?.[0] ?? '';
    this.#isOpen ||= !whole.endsWith("'") || whole.length < 3;
    this.#word = (this.#word ?? '') + unescapeAnsi(match?.[1] ?? '');
    this.#at += Math.max(2, whole.length);
  }

  #noteExpansion(): void {
    if (/[A-Za-z_{(]/.test(this.#text.charAt(this.#at))) this.#hasExpansions = true;
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

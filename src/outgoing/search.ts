/** Linear time (Knuth, Morris, Pratt 1977): a plain search for `aaaa…b` in a body of `a` would block the process. */
export class TextSearch {
  readonly #bytes: Buffer;
  readonly #fallback: Int32Array;
  #matched = 0;
  #isFound: boolean;

  constructor(text: string) {
    this.#bytes = Buffer.from(text);
    this.#fallback = buildFallback(this.#bytes);
    this.#isFound = text === '';
  }

  get isFound(): boolean {
    return this.#isFound;
  }

  take(chunk: Buffer): void {
    if (this.#isFound) return;
    const bytes = this.#bytes;
    const fallback = this.#fallback;
    const first = bytes[0] ?? 0;
    let matched = this.#matched;
    for (let at = 0; at < chunk.length; at++) {
      if (matched === 0) {
        at = chunk.indexOf(first, at);
        if (at === -1) break;
      }
      const byte = chunk[at];
      while (matched > 0 && bytes[matched] !== byte) matched = fallback[matched - 1] ?? 0;
      if (bytes[matched] === byte) matched++;
      if (matched === bytes.length) {
        this.#isFound = true;
        return;
      }
    }
    this.#matched = matched;
  }
}

/** At [n - 1], with n bytes matched: how many still match if the next byte doesn't. */
function buildFallback(bytes: Buffer): Int32Array {
  const fallback = new Int32Array(bytes.length);
  let matched = 0;
  for (let at = 1; at < bytes.length; at++) {
    while (matched > 0 && bytes[matched] !== bytes[at]) matched = fallback[matched - 1] ?? 0;
    if (bytes[matched] === bytes[at]) matched++;
    fallback[at] = matched;
  }
  return fallback;
}

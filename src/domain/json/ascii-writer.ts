/** Quicker than joining millions of strings. */
export class AsciiWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(expectedLength: number) {
    this.#bytes = Buffer.allocUnsafe(expectedLength + 16);
  }

  get length(): number {
    return this.#length;
  }

  byte(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = byte;
  }

  /** `text` must be ASCII there. */
  piece(text: string, start = 0, end = text.length): void {
    if (this.#length + end - start > this.#bytes.length) this.#grow(end - start);
    for (let at = start; at < end; at++) this.#bytes[this.#length++] = text.charCodeAt(at);
  }

  replaceLast(byte: number): void {
    this.#bytes[this.#length - 1] = byte;
  }

  /** Without a copy. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + needed));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

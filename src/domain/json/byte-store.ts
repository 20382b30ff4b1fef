const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Keeps copies of bytes up to a limit: a chunk may be a small part of a large buffer. Single bytes take no more memory
 * than one chunk.
 */
export class ByteStore {
  readonly #limit: number;
  #bytes = NOTHING;
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#length >= this.#limit;
  }

  get length(): number {
    return this.#length;
  }

  append(chunk: Buffer): void {
    const taken = Math.min(chunk.length, this.#limit - this.#length);
    if (taken <= 0) return;
    this.#grow(this.#length + taken);
    this.#length += chunk.copy(this.#bytes, this.#length, 0, taken);
  }

  /** Exactly the first chunk's size, then doubling. */
  #grow(length: number): void {
    if (length <= this.#bytes.length) return;
    const size = Math.min(this.#limit, Math.max(length, this.#bytes.length * 2));
    const larger = Buffer.allocUnsafe(size);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /** Without a copy. */
  bytes(): Buffer {
    return this.#length === this.#bytes.length
      ? this.#bytes
      : this.#bytes.subarray(0, this.#length);
  }
}

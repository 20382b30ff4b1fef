const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Keeps bytes up to a limit, as copies: a received chunk may be a small part of a large buffer. A body that arrives in
 * single bytes takes the same memory as one that arrives at once.
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

  /** Keeps as much of the chunk as fits under the limit. */
  append(chunk: Buffer): void {
    const taken = Math.min(chunk.length, this.#limit - this.#length);
    if (taken <= 0) return;
    this.#makeRoom(this.#length + taken);
    this.#length += chunk.copy(this.#bytes, this.#length, 0, taken);
  }

  /** Allocates exactly the first chunk's size, and doubles it from then on. */
  #makeRoom(length: number): void {
    if (length <= this.#bytes.length) return;
    const size = Math.min(this.#limit, Math.max(length, this.#bytes.length * 2));
    const larger = Buffer.allocUnsafe(size);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /** The bytes that were kept, without a copy. */
  bytes(): Buffer {
    return this.#length === this.#bytes.length
      ? this.#bytes
      : this.#bytes.subarray(0, this.#length);
  }
}

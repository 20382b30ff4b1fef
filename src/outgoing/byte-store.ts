const BLOCK_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);

/**
 * Blocks to use again. A target that pours without end would otherwise leave megabytes behind in every tick,
 * which the garbage collector, that knows little of what lies outside its heap, lets pile up.
 */
const spareBlocks: Buffer[] = [];
/** 16 MiB of them. */
const MAX_SPARE = 256;

/**
 * Bytes kept up to a limit, as copies: a chunk as received may be a small part of a large buffer.
 * A body that drips in single bytes costs no more memory than one that comes at once.
 */
export class ByteStore {
  readonly #limit: number;
  readonly #full: Buffer[] = [];
  #block: Buffer = EMPTY;
  /** How much of the last block is in use. */
  #used = 0;
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#length >= this.#limit;
  }

  /** Keeps as much of the chunk as fits under the limit. */
  append(chunk: Buffer): void {
    const end = Math.min(chunk.length, this.#limit - this.#length);
    let start = 0;
    while (start < end) {
      if (this.#used === this.#block.length) this.#grow(end - start);
      const copied = chunk.copy(this.#block, this.#used, start, end);
      this.#used += copied;
      this.#length += copied;
      start += copied;
    }
  }

  /** Makes room for at least one byte more: exactly what the first chunk needs, whole blocks in the end. */
  #grow(wanted: number): void {
    if (this.#block.length >= BLOCK_BYTES) {
      this.#full.push(this.#block);
      this.#block = spareBlocks.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#used = 0;
      return;
    }
    const size = Math.min(BLOCK_BYTES, Math.max(this.#used + wanted, this.#used * 2));
    const larger = Buffer.allocUnsafe(size);
    this.#block.copy(larger, 0, 0, this.#used);
    this.#block = larger;
  }

  /** Lets go of everything. Nothing that `bytes` has given may be in use any more. */
  release(): void {
    const full = this.#full.splice(0);
    for (const block of full) {
      if (block.length === BLOCK_BYTES && spareBlocks.length < MAX_SPARE) spareBlocks.push(block);
    }
    this.#block = EMPTY;
    this.#used = 0;
    this.#length = 0;
  }

  /** The beginning of it, as a copy: what lies behind can be let go. */
  first(length: number): Buffer {
    const first = Buffer.allocUnsafeSlow(Math.min(length, this.#length));
    let copied = 0;
    for (const block of this.#full) copied += block.copy(first, copied);
    this.#block.copy(first, copied, 0, this.#used);
    return first;
  }

  bytes(): Buffer {
    const last = this.#block.subarray(0, this.#used);
    return this.#full.length === 0 ? last : Buffer.concat([...this.#full, last], this.#length);
  }

  /** All of it as UTF-8, without a byte order mark; what is not UTF-8 becomes replacement characters. */
  text(): string {
    const decoder = new TextDecoder();
    let text = '';
    for (const block of this.#full) text += decoder.decode(block, { stream: true });
    return text + decoder.decode(this.#block.subarray(0, this.#used));
  }
}

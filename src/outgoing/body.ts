import type { BodyNeeds, ReceivedBody } from '#domain/exchange';
import { ByteStore } from './byte-store.ts';
import { TextSearch } from './search.ts';

/** How much of a body is stored (§2.5), in bytes. */
export const STORED_BYTES = 65_535;
/** How large a body may be that is kept whole for parsing (D23), in bytes. */
export const WHOLE_BYTES = 16 * 1024 * 1024;
/** How much of a whole body may be kept without asking for room, in bytes. */
export const FREE_BYTES = 64 * 1024;

const NOTHING_FOUND: readonly boolean[] = [];
const NO_SEARCHES: TextSearch[] = [];

/** Gathers what is wanted of a body as it passes by, decoded. Keeps no more than that. */
export class BodyCollector {
  /** Not used while the whole body is kept, which begins with the same bytes. */
  readonly #stored = new ByteStore(STORED_BYTES);
  readonly #searches: TextSearch[];
  /** Null when the whole body was not asked for; 'too-large' once it has grown beyond what is kept. */
  #whole: ByteStore | 'too-large' | null;
  #totalBytes = 0;

  constructor(needs: BodyNeeds) {
    this.#searches =
      needs.searchFor.length === 0
        ? NO_SEARCHES
        : needs.searchFor.map((text) => new TextSearch(text));
    this.#whole = needs.whole ? new ByteStore(WHOLE_BYTES) : null;
  }

  take(chunk: Buffer): void {
    this.#totalBytes += chunk.length;
    for (const search of this.#searches) search.take(chunk);
    if (this.#whole === null || this.#whole === 'too-large') return this.#stored.append(chunk);
    if (this.#totalBytes <= WHOLE_BYTES) return this.#whole.append(chunk);
    this.#stored.append(this.#whole.first(STORED_BYTES));
    this.#stored.append(chunk);
    this.#whole.release();
    this.#whole = 'too-large';
  }

  /** True once the whole body is being kept beyond what every exchange may keep unasked. */
  get needsRoom(): boolean {
    return this.#whole !== null && this.#whole !== 'too-large' && this.#totalBytes > FREE_BYTES;
  }

  /** How much of the whole body is being kept, in bytes. */
  get wholeBytes(): number {
    return this.#whole === null || this.#whole === 'too-large' ? 0 : this.#totalBytes;
  }

  /** True when no further byte can change what was asked for, except the count of them. */
  get isSated(): boolean {
    if (this.#whole !== null && this.#whole !== 'too-large') return false;
    return this.#stored.isFull && this.#searches.every((search) => search.isFound);
  }

  /** To be called once at most, and nothing else afterwards. */
  finish(): ReceivedBody {
    const whole = this.#whole;
    const isKept = whole !== null && whole !== 'too-large';
    const body = {
      stored: isKept ? whole.first(STORED_BYTES) : this.#stored.bytes(),
      totalBytes: this.#totalBytes,
      found: this.#searches.length === 0 ? NOTHING_FOUND : this.#searches.map((s) => s.isFound),
      whole: isKept ? { text: whole.text() } : whole,
    };
    this.release();
    return body;
  }

  /** Lets go of a body that nobody will ask for. */
  release(): void {
    if (this.#whole !== null && this.#whole !== 'too-large') this.#whole.release();
  }
}

import { ByteStore } from '#domain/json/byte-store';
import type { BodyNeeds, ReceivedBody } from '#domain/exchange';
import { JsonFinder } from '#domain/json/find';
import { TextSearch } from './search.ts';

/** How much of a body is stored (§2.5), in bytes. */
const STORED_BYTES = 65_535;

const NOTHING_FOUND: readonly boolean[] = [];
const NO_SEARCHES: TextSearch[] = [];

/** Collects the parts of a decoded body that `BodyNeeds` lists, chunk by chunk, and keeps nothing else. */
export class BodyCollector {
  readonly #stored = new ByteStore(STORED_BYTES);
  readonly #searches: TextSearch[];
  /** Null if there are no paths. */
  readonly #json: JsonFinder | null;
  #totalBytes = 0;

  constructor(needs: BodyNeeds) {
    this.#searches =
      needs.searchFor.length === 0
        ? NO_SEARCHES
        : needs.searchFor.map((text) => new TextSearch(text));
    this.#json = needs.paths.length === 0 ? null : new JsonFinder(needs.paths);
  }

  take(chunk: Buffer): void {
    this.#totalBytes += chunk.length;
    this.#stored.append(chunk);
    for (const search of this.#searches) search.take(chunk);
    this.#json?.take(chunk);
  }

  /** True if later bytes can only change the count of bytes. */
  get isSated(): boolean {
    if (this.#json?.isDone === false) return false;
    return this.#stored.isFull && this.#searches.every((search) => search.isFound);
  }

  /** Returns the result. Call it once, after the last chunk. */
  finish(): ReceivedBody {
    return {
      stored: this.#stored.bytes(),
      totalBytes: this.#totalBytes,
      found: this.#searches.length === 0 ? NOTHING_FOUND : this.#searches.map((s) => s.isFound),
      json: this.#json?.finish() ?? null,
    };
  }
}

import { ByteStore } from '#domain/json/byte-store';
import type { BodyNeeds, ReceivedBody } from '#domain/http/exchange';
import { JsonFinder } from '#domain/json/find';
import { TextSearch } from './search.ts';

/** Bytes (§2.5). */
const STORED_BYTES = 65_535;

/** Keeps only the parts that `BodyNeeds` lists. */
export class BodyCollector {
  readonly #stored = new ByteStore(STORED_BYTES);
  readonly #searches: TextSearch[];
  /** Null without paths. */
  readonly #json: JsonFinder | null;
  #totalBytes = 0;

  constructor({ searchFor, paths }: BodyNeeds = { searchFor: [], paths: [] }) {
    this.#searches = searchFor.map((text) => new TextSearch(text));
    this.#json = paths.length === 0 ? null : new JsonFinder(paths);
  }

  take(chunk: Buffer): void {
    this.#totalBytes += chunk.length;
    this.#stored.append(chunk);
    for (const search of this.#searches) search.take(chunk);
    this.#json?.take(chunk);
  }

  /** Later bytes only change the count. */
  get isComplete(): boolean {
    if (this.#json?.isDone === false) return false;
    return this.#stored.isFull && this.#searches.every((search) => search.isFound);
  }

  /** Call it once, after the last chunk. */
  finish(): ReceivedBody {
    return {
      stored: this.#stored.bytes(),
      totalBytes: this.#totalBytes,
      found: this.#searches.map(({ isFound }) => isFound),
      json: this.#json?.finish() ?? null,
    };
  }
}

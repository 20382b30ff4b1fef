import type { Log } from '#domain/base/log';
import type { Store } from '#store/store';

interface ShrinkingOptions {
  store: Store;
  log: Log;
  maxBytes: number;
  nodeId: () => string;
}

/** Deletes the oldest ended runs if the database exceeds the operator's limit (§3.9). */
export class Shrinking {
  readonly #options: ShrinkingOptions;
  /** Runs that ended until then are being deleted. */
  #until: number | null = null;
  #logged: 'fits' | 'cut' | 'nothing left' = 'fits';

  constructor(options: ShrinkingOptions) {
    this.#options = options;
  }

  /** @returns whether there is more to do before the next look */
  async step(limit: number): Promise<boolean> {
    const { store, log, nodeId } = this.#options;
    // Several would each delete the excess.
    if (!(await store.nodes.isFirst(nodeId()))) this.#until = null;
    else this.#until ??= await this.#look();
    if (this.#until === null) return false;
    const rows = await store.retention.deleteEndedUntil(this.#until, limit);
    if (rows > 0) log.debug('retention.deleted', { what: 'size', rows });
    if (rows >= limit) return true;
    this.#until = null;
    return false;
  }

  async #look(): Promise<number | null> {
    const { store, maxBytes } = this.#options;
    const { retention, clock } = store;
    const { usedBytes, cut } = await retention.lookAtSize(maxBytes, clock.now());
    const isOver = usedBytes > maxBytes;
    this.#note(isOver ? (cut === null ? 'nothing left' : 'cut') : 'fits', { usedBytes, maxBytes });
    if (cut !== null) await retention.dropPartitionsUntil(cut);
    return cut;
  }

  /** Once, until it changes. */
  #note(state: 'fits' | 'cut' | 'nothing left', sizes: { usedBytes: number; maxBytes: number }) {
    if (state === this.#logged) return;
    this.#logged = state;
    const { log } = this.#options;
    if (state === 'fits') log.info('retention.size-fits', sizes);
    else if (state === 'cut') log.info('retention.size-exceeded', sizes);
    else log.warn('retention.nothing-left', sizes);
  }
}

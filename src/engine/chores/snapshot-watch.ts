import type { Log } from '#domain/base/log';
import type { OldSnapshot } from '#store/figures/snapshots';
import type { Store } from '#store/store';
import { Repeating } from '#domain/base/repeating';

const LOOK_EVERY_MS = 10_000;

/** Old snapshots slow down claims. Each is logged at its start and end. */
export class SnapshotWatch {
  readonly #store: Store;
  readonly #log: Log;
  readonly #looks: Repeating;
  #old: readonly OldSnapshot[] = [];

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
    // If the database is down, other parts log that.
    this.#looks = new Repeating(store.clock, log, null, () => this.#look());
  }

  get old(): readonly OldSnapshot[] {
    return this.#old;
  }

  start(): void {
    this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #look(): Promise<number> {
    const found = await this.#store.snapshots.findOld();
    const isIn = (list: readonly OldSnapshot[], { holder }: OldSnapshot) =>
      list.some((each) => each.holder === holder);
    for (const each of found) {
      if (!isIn(this.#old, each)) this.#log.warn('database.snapshot-old', { ...each });
    }
    for (const each of this.#old) {
      if (!isIn(found, each)) this.#log.info('database.snapshot-gone', { holder: each.holder });
    }
    this.#old = found;
    return LOOK_EVERY_MS;
  }
}

import type { Log } from '#domain/log';
import type { OldSnapshot } from '#store/figures/snapshots';
import type { Store } from '#store/store';

const LOOK_EVERY_MS = 10_000;

/** Logs old snapshots, which slow claims down: each once when it is found, and once when it is gone. */
export class SnapshotWatch {
  readonly #store: Store;
  readonly #log: Log;
  #old: readonly OldSnapshot[] = [];
  #cancel: (() => void) | null = null;
  #stopped = false;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** The old snapshots that the last check found. */
  get old(): readonly OldSnapshot[] {
    return this.#old;
  }

  start(): void {
    if (this.#store.isShared) void this.#look();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  async #look(): Promise<void> {
    try {
      this.#tell(await this.#store.snapshots.findOld());
    } catch {
      // The database is down. Other parts log that.
    }
    if (this.#stopped) return;
    this.#cancel = this.#store.clock.after(LOOK_EVERY_MS, () => void this.#look());
  }

  #tell(found: readonly OldSnapshot[]): void {
    const isIn = (list: readonly OldSnapshot[], { heldBy }: OldSnapshot) =>
      list.some((each) => each.heldBy === heldBy);
    for (const each of found) {
      if (!isIn(this.#old, each)) this.#log.warn('database.snapshot-old', { ...each });
    }
    for (const each of this.#old) {
      if (!isIn(found, each)) this.#log.info('database.snapshot-gone', { heldBy: each.heldBy });
    }
    this.#old = found;
  }
}

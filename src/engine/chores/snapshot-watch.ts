import type { Log } from '#domain/base/log';
import type { OldSnapshot } from '#store/figures/snapshots';
import type { Store } from '#store/store';
import { Repeating } from '#domain/base/repeating';

const LOOK_EVERY_MS = 10_000;

/** Old snapshots slow down claims. Each is logged at its start and end. */
export function watchSnapshots({ clock, snapshots }: Store, log: Log) {
  let old: readonly OldSnapshot[] = [];
  const isIn = (list: readonly OldSnapshot[], { holder }: OldSnapshot) =>
    list.some((each) => each.holder === holder);
  const look = async () => {
    const found = await snapshots.findOld();
    for (const each of found) {
      if (!isIn(old, each)) log.warn('database.snapshot-old', { ...each });
    }
    for (const each of old) {
      if (!isIn(found, each)) log.info('database.snapshot-gone', { holder: each.holder });
    }
    old = found;
    return LOOK_EVERY_MS;
  };
  // If the database is down, other parts log that.
  const looks = new Repeating(clock, log, null, look);
  return { old: () => old, start: () => looks.start(), stop: () => looks.stop() };
}

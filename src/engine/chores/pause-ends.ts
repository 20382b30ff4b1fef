import type { Log } from '#domain/base/log';
import type { Store } from '#store/store';
import { Repeating } from '#domain/base/repeating';

/** Other processes may set pauses, and the clock may be set. */
const LOOK_EVERY_MS = 5_000;
/** While rows are locked. */
const LEAST_PAUSE_MS = 100;

/** A pause that ended while no process ran ends at the first look (§3.12). */
export function endPauses({ clock, pauseEnds }: Store, log: Log): Repeating {
  return new Repeating(clock, log, 'pauses.not-ended', async () => {
    const next = await pauseEnds.endDue(clock.now());
    const inMs = (next ?? Infinity) - clock.now();
    return Math.min(Math.max(inMs, LEAST_PAUSE_MS), LOOK_EVERY_MS);
  });
}

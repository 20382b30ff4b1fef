import type { Log } from '#domain/base/log';
import type { Store } from '#store/store';
import { Repeating } from '#domain/base/repeating';

const LOOK_EVERY_MS = 5_000;
/** A smaller step delays no cron noticeably. */
const STEP_MS = 5_000;

/** At a start and after the clock was set back: crons that ran while it was ahead have times that are far away now. */
export function correctCronTimes({ clock, crons }: Store, log: Log): Repeating {
  /** The largest difference between wall and monotonic time since the clock was last set back. */
  let highestOffsetMs = -Infinity;
  let isDue = true;
  const looks = new Repeating(clock, log, 'crons.planning-failed', async () => {
    const offsetMs = clock.now() - clock.monotonicMs();
    const isSetBack = highestOffsetMs - offsetMs >= STEP_MS;
    isDue ||= isSetBack;
    highestOffsetMs = isSetBack ? offsetMs : Math.max(highestOffsetMs, offsetMs);
    if (!isDue) return LOOK_EVERY_MS;
    const count = await crons.correctTimes(() => (looks.isStopped ? null : clock.now()));
    isDue = false;
    if (count > 0) log.warn('crons.planned-again', { crons: count });
    return LOOK_EVERY_MS;
  });
  return looks;
}

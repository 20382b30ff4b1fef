import type { Log } from '#domain/base/log';
import type { Store } from '#store/store';
import { Repeating } from '#domain/base/repeating';

/** Several times within the step in which `depths.look` keeps one look. */
const LOOK_EVERY_MS = 60_000;

export function watchDepths({ clock, depths }: Store, log: Log): Repeating {
  return new Repeating(clock, log, 'depths.look-failed', async () => {
    await depths.look(clock.now());
    return LOOK_EVERY_MS;
  });
}

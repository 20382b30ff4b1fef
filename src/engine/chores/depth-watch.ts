import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import { Repeating } from './repeating.ts';

/** In each minute that `DepthStore.look` distinguishes, at least one node calls it. */
const LOOK_EVERY_MS = 60_000;

/** Records how many jobs wait. */
export function watchDepths({ clock, depths }: Store, log: Log): Repeating {
  return new Repeating(clock, log, 'depths.look-failed', async () => {
    await depths.look(clock.now());
    return LOOK_EVERY_MS;
  });
}

import type { Log } from '#domain/base/log';
import type { Store } from '#store/store';

interface ShrinkingOptions {
  store: Store;
  log: Log;
  maxBytes: number;
  nodeId: () => string;
}

type Reach = 'fits' | 'cut' | 'nothing left';

/**
 * Deletes the oldest ended runs if the database exceeds the operator's limit (§3.9).
 * @returns a step, which returns whether there is more to do before the next look
 */
export function createShrinking({ store, log, maxBytes, nodeId }: ShrinkingOptions) {
  const { clock, nodes, retention } = store;
  /** Runs that ended until then are being deleted. */
  let until: number | null = null;
  let logged: Reach = 'fits';
  /** Once, until it changes. */
  const note = (reach: Reach, usedBytes: number) => {
    if (reach === logged) return;
    logged = reach;
    const sizes = { usedBytes, maxBytes };
    if (reach === 'fits') log.info('retention.size-fits', sizes);
    else if (reach === 'cut') log.info('retention.size-exceeded', sizes);
    else log.warn('retention.nothing-left', sizes);
  };
  const look = async () => {
    const { usedBytes, cut } = await retention.lookAtSize(maxBytes, clock.now());
    note(usedBytes <= maxBytes ? 'fits' : cut === null ? 'nothing left' : 'cut', usedBytes);
    if (cut !== null) await retention.dropPartitionsUntil(cut);
    return cut;
  };
  return async (limit: number): Promise<boolean> => {
    // Several would each delete the excess.
    if (!(await nodes.takeChore(nodeId(), 'shrinking'))) until = null;
    else until ??= await look();
    if (until === null) return false;
    const rows = await retention.deleteEndedUntil(until, limit);
    if (rows > 0) log.debug('retention.deleted', { what: 'size', rows });
    if (rows >= limit) return true;
    until = null;
    return false;
  };
}

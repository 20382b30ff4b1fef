import { isId } from '#domain/base/ids';
import { changePause, NOT_PAUSED, type Pause } from '#domain/team/pause';
import type { Queue } from '#store/queues/queues';
import type { Store } from '#store/store';
import type { QueueChange } from './resources/queue.ts';

export type { Queue };

/** §2.3, §3.5. Inputs were read by resources/queue.ts; ids may be any text. Null: no such queue. */
export function createQueueWork({ queues, clock }: Store) {
  const editQueue = async (teamId: string, queueId: string, change: QueueChange) => {
    const before = isId(queueId) ? await queues.find(teamId, queueId) : null;
    return before && queues.update(teamId, queueId, withPause(before, change, clock.now()));
  };
  return {
    setQueue: async (teamId: string, name: string, change: QueueChange) => {
      const now = clock.now();
      const before = await queues.findByName(teamId, name);
      return queues.save(teamId, name, withPause(before ?? NOT_PAUSED, change, now), now);
    },
    editQueue,
    /** False: there is no such queue, or another one has that name. */
    renameQueue: async (teamId: string, queueId: string, name: string) =>
      isId(queueId) && queues.rename(teamId, queueId, name),
    /** Waiting jobs keep their times. */
    pauseQueue: (teamId: string, queueId: string, until: number | null = null) =>
      editQueue(teamId, queueId, { isPaused: true, pausedUntil: until }),
    resumeQueue: (teamId: string, queueId: string) =>
      editQueue(teamId, queueId, { isPaused: false }),
    deleteQueue: async (teamId: string, queueId: string) =>
      isId(queueId) ? queues.delete(teamId, queueId) : null,
    findQueue: async (teamId: string, queueId: string) =>
      isId(queueId) ? queues.find(teamId, queueId) : null,
    findQueueByName: (teamId: string, name: string) => queues.findByName(teamId, name),
    listQueues: (teamId: string) => queues.list(teamId),
  };
}

function withPause(before: Pause, change: QueueChange, now: number): QueueChange {
  const isPauseChanged = change.isPaused !== undefined || change.pausedUntil !== undefined;
  return isPauseChanged ? { ...change, ...changePause(before, change, now) } : change;
}

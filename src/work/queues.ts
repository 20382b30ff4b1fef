import { isId } from '#domain/ids';
import type { Queue } from '#store/queues/queues';
import type { Store } from '#store/store';
import type { QueueChange } from './resources/queue.ts';

export type { Queue };

/** §2.3, §3.5. Inputs were read by resources/queue.ts; ids may be any text. Null: no such queue. */
export function createQueueWork({ queues, clock }: Store) {
  const editQueue = async (teamId: string, queueId: string, change: QueueChange) =>
    isId(queueId) ? queues.update(teamId, queueId, change) : null;
  return {
    /** A new one gets defaults for the others. */
    setQueue: (teamId: string, name: string, change: QueueChange) =>
      queues.save(teamId, name, change, clock.now()),
    editQueue,
    /** False: there is no such queue, or another one has that name. */
    renameQueue: async (teamId: string, queueId: string, name: string) =>
      isId(queueId) && queues.rename(teamId, queueId, name),
    /** Waiting jobs keep their times. */
    pauseQueue: (teamId: string, queueId: string) => editQueue(teamId, queueId, { isPaused: true }),
    resumeQueue: (teamId: string, queueId: string) =>
      editQueue(teamId, queueId, { isPaused: false }),
    /** @returns how many jobs were deleted */
    deleteQueue: async (teamId: string, queueId: string) =>
      isId(queueId) ? queues.delete(teamId, queueId) : null,
    findQueue: async (teamId: string, queueId: string) =>
      isId(queueId) ? queues.find(teamId, queueId) : null,
    findQueueByName: (teamId: string, name: string) => queues.findByName(teamId, name),
    listQueues: (teamId: string) => queues.list(teamId),
  };
}

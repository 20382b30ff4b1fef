import { isId } from '#domain/ids';
import type { Queue } from '#store/queues/queues';
import type { Store } from '#store/store';
import type { QueueChange } from './resources/queue.ts';

export type { Queue };

/**
 * Managing a team's queues (§2.3, §3.5). Names and changes have been read by resources/queue.ts; ids may be any text. Null:
 * the team has no queue of that id.
 */
export interface QueueWork {
  /** Changes the given settings of a queue. A new one is made with the defaults for the others. */
  setQueue(teamId: string, name: string, change: QueueChange): Promise<Queue>;
  editQueue(teamId: string, queueId: string, change: QueueChange): Promise<Queue | null>;
  /** Pauses a queue: it starts nothing, and waiting jobs keep their times. */
  pauseQueue(teamId: string, queueId: string): Promise<Queue | null>;
  resumeQueue(teamId: string, queueId: string): Promise<Queue | null>;
  /** Deletes a queue with its jobs. Gives how many jobs were deleted. */
  deleteQueue(teamId: string, queueId: string): Promise<number | null>;
  findQueue(teamId: string, queueId: string): Promise<Queue | null>;
  findQueueByName(teamId: string, name: string): Promise<Queue | null>;
  /** By name. */
  listQueues(teamId: string): Promise<Queue[]>;
}

export function createQueueWork({ queues, clock }: Store): QueueWork {
  const editQueue = async (teamId: string, queueId: string, change: QueueChange) =>
    isId(queueId) ? queues.update(teamId, queueId, change) : null;
  return {
    setQueue: (teamId, name, change) => queues.save(teamId, name, change, clock.now()),
    editQueue,
    pauseQueue: (teamId, queueId) => editQueue(teamId, queueId, { isPaused: true }),
    resumeQueue: (teamId, queueId) => editQueue(teamId, queueId, { isPaused: false }),
    deleteQueue: async (teamId, queueId) => (isId(queueId) ? queues.delete(teamId, queueId) : null),
    findQueue: async (teamId, queueId) => (isId(queueId) ? queues.find(teamId, queueId) : null),
    findQueueByName: (teamId, name) => queues.findByName(teamId, name),
    listQueues: (teamId) => queues.list(teamId),
  };
}

import { isId } from '#domain/ids';
import type { Queue } from '#store/queues/queues';
import type { Store } from '#store/store';
import type { QueueChange } from './queue-input.ts';

export type { Queue };

/**
 * What a team may do with its queues (§2.3, §3.5). Names and changes have been read by queue-input.ts; ids
 * may be any text, and null is one that the team has no queue of.
 */
export interface QueueWork {
  /** Changes what is given of the queue of that name, making it with the defaults for the rest if it is new. */
  setQueue(teamId: string, name: string, change: QueueChange): Promise<Queue>;
  editQueue(teamId: string, queueId: string, change: QueueChange): Promise<Queue | null>;
  /** A paused queue starts nothing; what waits keeps its time. */
  pauseQueue(teamId: string, queueId: string): Promise<Queue | null>;
  resumeQueue(teamId: string, queueId: string): Promise<Queue | null>;
  /** Deletes a queue with its jobs; gives how many went with it. */
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

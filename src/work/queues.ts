import { notifiesNobody } from '#domain/alerts/alert-settings';
import { countOf } from '#domain/base/amounts';
import { isId } from '#domain/base/ids';
import type { ActivityAction } from '#domain/team/activity';
import { changePause, NOT_PAUSED, type Pause } from '#domain/team/pause';
import type { Queue } from '#store/queues/queues';
import type { Store } from '#store/store';
import { type Doing, untilOf } from './acting.ts';
import { QUEUE, type QueueChange } from './resources/queue.ts';
import { describeChange } from './resources/resource.ts';

export type { Queue };

/** §2.3, §3.5. Inputs were read by resources/queue.ts; ids may be any text. Null: no such queue. */
export function createQueueWork({ queues, clock }: Store, doing: Doing) {
  const { recorded } = doing;
  const findQueue = async (teamId: string, queueId: string) =>
    isId(queueId) ? queues.find(teamId, queueId) : null;
  const change = async (
    teamId: string,
    queueId: string,
    given: QueueChange,
    action: ActivityAction = 'queue.edited',
  ) => {
    const before = await findQueue(teamId, queueId);
    if (silencesFailures(given, before)) doing.refuseMember(SILENCE);
    const whole = before && withPause(before, given, clock.now());
    const after = whole && (await queues.update(teamId, queueId, whole));
    return recorded(teamId, action, after, (queue) =>
      action === 'queue.edited' ? describeChange(QUEUE, before, queue) : untilOf(queue),
    );
  };
  return {
    setQueue: async (teamId: string, name: string, given: QueueChange) => {
      const now = clock.now();
      const before = await queues.findByName(teamId, name);
      if (silencesFailures(given, before)) doing.refuseMember(SILENCE);
      const whole = withPause(before ?? NOT_PAUSED, given, now);
      const queue = await queues.save(teamId, name, whole, now);
      if (before === null) return recorded(teamId, 'queue.created', queue);
      return recorded(teamId, 'queue.edited', queue, () => describeChange(QUEUE, before, queue));
    },
    editQueue: (teamId: string, queueId: string, given: QueueChange) =>
      change(teamId, queueId, given),
    /** False: there is no such queue, or another one has that name. */
    renameQueue: async (teamId: string, queueId: string, name: string) => {
      const before = await findQueue(teamId, queueId);
      if (!before || !(await queues.rename(teamId, queueId, name))) return false;
      const detail = `name: ${before.name} → ${name}`;
      await recorded(teamId, 'queue.edited', { id: queueId, name }, () => detail);
      return true;
    },
    /** Waiting jobs keep their times. */
    pauseQueue: (teamId: string, queueId: string, until: number | null = null) =>
      change(teamId, queueId, { isPaused: true, pausedUntil: until }, 'queue.paused'),
    resumeQueue: (teamId: string, queueId: string) =>
      change(teamId, queueId, { isPaused: false }, 'queue.resumed'),
    /** @returns how many jobs were deleted with it */
    deleteQueue: async (teamId: string, queueId: string) => {
      const queue = await findQueue(teamId, queueId);
      const jobs = queue && (await queues.delete(teamId, queueId));
      const detail = `with ${countOf(jobs ?? 0, 'job')}`;
      if (jobs !== null) await recorded(teamId, 'queue.deleted', queue, () => detail);
      return jobs;
    },
    findQueue,
    findQueueByName: (teamId: string, name: string) => queues.findByName(teamId, name),
    listQueues: (teamId: string) => queues.list(teamId),
  };
}

const SILENCE = "notify nobody of a queue's failures";

/**
 * Only an admin may do this. A queue that is silent already may stay so.
 * @param present null for a new one
 */
export function silencesFailures(
  { alertSettings }: QueueChange,
  present: Pick<Queue, 'alertSettings'> | null,
): boolean {
  if (!alertSettings || !notifiesNobody(alertSettings, 'failure')) return false;
  return present === null || !notifiesNobody(present.alertSettings, 'failure');
}

function withPause(before: Pause, change: QueueChange, now: number): QueueChange {
  const isPauseChanged = change.isPaused !== undefined || change.pausedUntil !== undefined;
  return isPauseChanged ? { ...change, ...changePause(before, change, now) } : change;
}

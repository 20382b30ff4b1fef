import { notifiesNobody } from '#domain/alert-settings';
import { NotAllowed } from '#domain/not-allowed';
import type { QueueChange } from './resources/queue.ts';
import type { Queue } from './queues.ts';
import type { WindowInput } from './resources/window.ts';
import type { Work } from './work.ts';

/** Notification settings (§5.8). */
const CHANNELS = [
  'setChannel',
  'addChannel',
  'editChannel',
  'deleteChannel',
  'readChannelConfig',
  'listChannelSettings',
  'findChannelConfig',
] as const satisfies readonly (keyof Work)[];

/**
 * The same work for a member who is no admin (§5.8). Refused are the team's channels, muting the whole team, and
 * notifying nobody of a queue's failures. What an admin has set so already may stay so.
 */
export function forMember(work: Work): Work {
  const refusedChannels = Object.fromEntries(
    CHANNELS.map((name) => [name, () => Promise.reject(notAllowed(name))]),
  );
  return {
    ...work,
    ...refusedChannels,
    ...windowsForMember(work),
    setQueue: async (teamId, name, change) => {
      await refuseNobody(change, () => work.findQueueByName(teamId, name));
      return work.setQueue(teamId, name, change);
    },
    editQueue: async (teamId, queueId, change) => {
      await refuseNobody(change, () => work.findQueue(teamId, queueId));
      return work.editQueue(teamId, queueId, change);
    },
    as: (doer, log) => forMember(work.as(doer, log)),
    asMember: (doer, log) => work.asMember(doer, log),
  };
}

type WindowVerbs = Pick<Work, 'createWindow' | 'editWindow' | 'startMaintenanceNow'>;

function windowsForMember(work: Work): WindowVerbs {
  return {
    createWindow: async (teamId, input) => {
      refuseWholeTeam(input);
      return work.createWindow(teamId, input);
    },
    editWindow: async (teamId, windowId, input) => {
      refuseWholeTeam(input);
      refuseWholeTeam(await work.findWindow(teamId, windowId));
      return work.editWindow(teamId, windowId, input);
    },
    startMaintenanceNow: async (teamId, covers) => {
      refuseWholeTeam({ covers });
      return work.startMaintenanceNow(teamId, covers);
    },
  };
}

function refuseWholeTeam(window: Pick<WindowInput, 'covers'> | null): void {
  if (window?.covers === 'team') throw notAllowed('mute the whole team');
}

async function refuseNobody(
  change: QueueChange,
  findPresent: () => Promise<Queue | null>,
): Promise<void> {
  if (!silencesFailures(change, null)) return;
  if (silencesFailures(change, await findPresent())) {
    throw notAllowed("notify nobody of a queue's failures");
  }
}

/**
 * Whether a change means that nobody is notified of a queue's failures, which an admin has to decide.
 *
 * @param present  the queue as it is; null for a new one
 */
export function silencesFailures(
  { alertSettings }: QueueChange,
  present: Pick<Queue, 'alertSettings'> | null,
): boolean {
  if (!alertSettings || !notifiesNobody(alertSettings, 'failure')) return false;
  return present === null || !notifiesNobody(present.alertSettings, 'failure');
}

function notAllowed(what: string): NotAllowed {
  return new NotAllowed(`a member may not: ${what}`);
}

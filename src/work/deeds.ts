import { countOf } from '#domain/amounts';
import type { ActivityAction, Deed } from '#domain/activity';
import { describeEnd } from '#domain/cron-end';
import { formatRate } from '#domain/rate';
import type { ChannelOutcome } from './channels.ts';
import type { CronChange } from './cron-actions.ts';
import type { Cron } from './crons.ts';
import type { JobEdit } from './jobs.ts';
import type { BulkKind, BulkOutcome, ChosenAnswers } from './job-contract.ts';
import type { Queue } from './queues.ts';
import type { WindowOutcome } from './windows.ts';
import type { Work } from './work.ts';

/** The methods that only read. */
export type Reading =
  `${'read' | 'list' | 'find' | 'count' | 'search' | 'group' | 'describe'}${string}`;
/** The methods whose effects are not recorded, because nobody asks about them later. */
type Passing =
  | 'isSecretHeader'
  | 'testRun'
  | 'markAlerts'
  | 'markAlertsReadUpTo'
  | 'as'
  | 'asMember'
  | 'forViewer';
export type Doing = Exclude<keyof Work, Reading | Passing>;

/**
 * Watches one method, to record it. It is called before the action, which may delete its subject; the function it gives
 * turns the method's result into what is recorded. Null: nothing was done.
 */
export type Watch<Name extends Doing> = (
  work: Work,
  ...given: Parameters<Work[Name]>
) => Promise<(came: Awaited<ReturnType<Work[Name]>>) => Deed | Deed[] | null>;

/** The records of all methods that change something, for the activity (§5.10). */
export const DEEDS: { readonly [Name in Doing]: Watch<Name> } = {
  createCron: async () => (cron) => ({ action: 'cron.created', subject: cron }),
  editCron: async (work, teamId, id) => {
    const before = await work.findCron(teamId, id);
    return (after) =>
      after && {
        action: 'cron.edited',
        subject: after,
        ...detailOf(before && shownOf(before), shownOf(after), CRON_FIELDS),
      };
  },
  startCron: async () => about('cron.started'),
  pauseCron: async () => about('cron.paused'),
  runCronNow: async (work, teamId, id) => {
    const cron = await work.findCron(teamId, id);
    return (run) => run && cron && { action: 'cron.run', subject: cron };
  },
  setCronAssertions: async () => (came) =>
    came.kind === 'done'
      ? { action: 'cron.edited', subject: came.changed, detail: 'assertions' }
      : null,
  actOnCrons: async (_work, _teamId, act) => {
    return ({ done }) => done.map((subject) => ({ subject, action: ON_CRONS[act] }));
  },
  muteCron: async () => (came) => cronDeed('cron.muted', came),
  unmuteCron: async () => (came) => cronDeed('cron.unmuted', came),
  addCronTag: async () => (came) => cronDeed('cron.edited', came, 'tags'),
  removeCronTag: async () => (came) => cronDeed('cron.edited', came, 'tags'),
  deleteCron: async (work, teamId, id) => {
    const cron = await work.findCron(teamId, id);
    return (isGone) => (isGone && cron ? { action: 'cron.deleted', subject: cron } : null);
  },

  setQueue: async (work, teamId, name) => {
    const before = await work.findQueueByName(teamId, name);
    return (after) =>
      before === null
        ? { action: 'queue.created', subject: after }
        : { action: 'queue.edited', subject: after, ...detailOf(before, after, QUEUE_FIELDS) };
  },
  editQueue: async (work, teamId, id) => {
    const before = await work.findQueue(teamId, id);
    return (after) =>
      after && { action: 'queue.edited', subject: after, ...detailOf(before, after, QUEUE_FIELDS) };
  },
  pauseQueue: async () => about('queue.paused'),
  resumeQueue: async () => about('queue.resumed'),
  deleteQueue: async (work, teamId, id) => {
    const queue = await work.findQueue(teamId, id);
    return (jobs) =>
      jobs !== null && queue
        ? { action: 'queue.deleted', subject: queue, detail: `with ${countOf(jobs, 'job')}` }
        : null;
  },

  createJob: async (_work, _teamId, { queue }) => {
    return ({ jobId }) => ({ action: 'job.created', subject: job(jobId), detail: `in ${queue}` });
  },
  editJob: async (work, teamId, id, edit) => {
    const found = await work.findJob(teamId, id);
    const before = found && requestOf({ ...found, payloadJson: found.payload });
    const detail = detailOf(before, requestOf(edit), JOB_FIELDS);
    return ({ kind }) =>
      kind === 'done' ? { action: 'job.edited', subject: job(id), ...detail } : null;
  },
  fireJob: async (_work, _teamId, id) => doneTo(id, 'job.fired'),
  retryJob: async (_work, _teamId, id) => doneTo(id, 'job.retried'),
  deleteJob: async (_work, _teamId, id) => doneTo(id, 'job.deleted'),
  actOnJobs: async (_work, _teamId, kind, ids, answers) => {
    const [only] = ids;
    return (came) => {
      const deed = atRate(bulk(kind, came), answers);
      return deed && only !== undefined && ids.length === 1
        ? { action: ONE[kind], subject: job(only) }
        : deed;
    };
  },
  startBulk: async (_work, _teamId, kind, _search, answers) => (came) =>
    atRate(bulk(kind, came), answers),
  cancelBulkTask: async () => (isDone) => (isDone ? { action: 'jobs.cancelled' } : null),

  pauseTeam: async () => (isDone) => (isDone ? { action: 'team.paused' } : null),
  resumeTeam: async () => (isDone) => (isDone ? { action: 'team.resumed' } : null),

  setChannel: async (_work, _teamId, { kind }) => {
    return (came) => channelDeed('channel.edited', came, { detail: kind });
  },
  addChannel: async (_work, _teamId, { name, config }) => {
    return (came) => channelDeed('channel.added', came, { name, detail: config.kind });
  },
  editChannel: async (_work, _teamId, _id, { name, config }) => {
    return (came) => channelDeed('channel.edited', came, { name, detail: config.kind });
  },
  deleteChannel: async (work, teamId, id) => {
    const channel = await work.findChannel(teamId, id);
    return (isGone) =>
      isGone && channel
        ? { action: 'channel.deleted', subject: { id, name: channel.name ?? '' } }
        : null;
  },
  createWindow: async () => windowDeed('window.created'),
  startMaintenanceNow: async () => windowDeed('window.created'),
  editWindow: async () => windowDeed('window.edited'),
  deleteWindow: async (work, teamId, id) => {
    const window = await work.findWindow(teamId, id);
    return (isGone) => (isGone && window ? { action: 'window.deleted', subject: window } : null);
  },
};

type Named = { id: string; name: string };

const ON_CRONS = {
  start: 'cron.started',
  pause: 'cron.paused',
  run: 'cron.run',
  delete: 'cron.deleted',
} as const;
const ONE = { fire: 'job.fired', retry: 'job.retried', delete: 'job.deleted' } as const;
const MANY = { fire: 'jobs.fired', retry: 'jobs.retried', delete: 'jobs.deleted' } as const;

function cronDeed(action: ActivityAction, came: CronChange, detail?: string): Deed | null {
  if (came.kind !== 'done') return null;
  return { action, subject: came.changed, ...(detail !== undefined && { detail }) };
}

function about(action: ActivityAction) {
  return (subject: Named | null) => subject && { action, subject };
}

function doneTo(id: string, action: ActivityAction) {
  return ({ kind }: { kind: string }) => (kind === 'done' ? { action, subject: job(id) } : null);
}

function windowDeed(action: ActivityAction) {
  return (came: WindowOutcome) => (came.kind === 'done' ? { action, subject: came.window } : null);
}

/** The editable parts of a waiting job, with its time as text. */
function requestOf({ queue, method, url, headers, payloadJson, callbackUrl, ...job }: JobEdit) {
  const time = new Date(job.scheduledAt).toISOString();
  return { queue, method, url, headers, payloadJson, callbackUrl, time };
}

/**
 * Records a change of a channel. The default channel has no name. An address is secret, so only the kind is recorded.
 */
function channelDeed(
  action: ActivityAction,
  came: ChannelOutcome,
  { name, detail }: { name?: string; detail: string },
): Deed | null {
  if (came.kind !== 'saved') return null;
  return name === undefined
    ? { action, detail }
    : { action, subject: { id: came.id, name }, detail };
}

/** With its end in words. */
function shownOf(cron: Cron) {
  return { ...cron, end: describeEnd(cron.end) };
}

/** A job has no name; its pages call it by the end of its id. */
function job(id: string): Named {
  return { id, name: id.slice(-8) };
}

function bulk(kind: BulkKind, came: BulkOutcome): (Deed & { detail: string }) | null {
  if (came.kind === 'done' && came.done > 0) {
    return { action: MANY[kind], detail: countOf(came.done, 'job') };
  }
  if (came.kind !== 'started') return null;
  return { action: MANY[kind], detail: countOf(came.task.total, 'job') };
}

/** With the rate at which a retry is spread. */
function atRate(
  deed: (Deed & { detail: string }) | null,
  answers: ChosenAnswers | undefined,
): (Deed & { detail: string }) | null {
  if (deed === null || !answers?.rate) return deed;
  return { ...deed, detail: `${deed.detail}, at ${formatRate(answers.rate)}` };
}

type Shown<Thing> = { readonly [Field in keyof Thing]?: [word: string, show: 'value' | 'name'] };

/** Values that may contain a secret (addresses, headers, payloads) are not recorded, only that they changed. */
const CRON_FIELDS: Shown<ReturnType<typeof shownOf>> = {
  name: ['name', 'value'],
  cronExpression: ['schedule', 'value'],
  method: ['method', 'value'],
  url: ['URL', 'name'],
  headers: ['headers', 'name'],
  payload: ['payload', 'name'],
  callbackUrl: ['callback URL', 'name'],
  timeoutSeconds: ['timeout', 'value'],
  alertThreshold: ['alert threshold', 'value'],
  assertions: ['assertions', 'name'],
  isActive: ['active', 'value'],
  alertSettings: ['alert settings', 'name'],
  end: ['end', 'value'],
  tags: ['tags', 'value'],
};

const QUEUE_FIELDS: Shown<Queue> = {
  timeoutSeconds: ['timeout', 'value'],
  retrySchedule: ['retry schedule', 'value'],
  retriesEnabled: ['retries', 'value'],
  concurrencyLimit: ['concurrency limit', 'value'],
  rate: ['rate', 'value'],
  assertions: ['assertions', 'name'],
  emailAlerts: ['email alerts', 'value'],
  deadLetterDays: ['dead letter days', 'value'],
  isPaused: ['paused', 'value'],
  alertSettings: ['alert settings', 'name'],
  tags: ['tags', 'value'],
};

const JOB_FIELDS: Shown<ReturnType<typeof requestOf>> = {
  queue: ['queue', 'value'],
  time: ['time', 'value'],
  method: ['method', 'value'],
  url: ['URL', 'name'],
  headers: ['headers', 'name'],
  payloadJson: ['payload', 'name'],
  callbackUrl: ['callback URL', 'name'],
};

/** Describes the changes: `schedule: 0 3 * * * → 0 4 * * *, URL`. Without `before` the thing is new. */
function detailOf<Thing extends object>(
  before: Thing | null,
  after: Thing,
  fields: Shown<Thing>,
): { detail?: string } {
  if (before === null) return { detail: 'new' };
  const changes = (Object.keys(fields) as (keyof Thing)[]).flatMap((field) => {
    const [word, show] = fields[field] ?? ['', 'name'];
    const [old, now] = [JSON.stringify(before[field]), JSON.stringify(after[field])];
    if (old === now) return [];
    return show === 'value' ? `${word}: ${say(before[field])} → ${say(after[field])}` : word;
  });
  return changes.length === 0 ? { detail: '(no change)' } : { detail: changes.join(', ') };
}

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

function say(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (isWords(value)) return value.join(' ') || 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

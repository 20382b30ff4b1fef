/** The actions on a team: the role that each needs (§5.8), and its activity entry (§5.10). */
import { isDeepStrictEqual } from 'node:util';
import { notifiesNobody } from '#domain/alerts/alert-settings';
import type { ActivityAction, ActivityEntry } from '#domain/team/activity';
import { countOf } from '#domain/base/amounts';
import { NotAllowed } from '#domain/http/not-allowed';
import { describeUntil, type Pause } from '#domain/team/pause';
import { formatRate } from '#domain/team/rate';
import type { ChannelOutcome, ChannelSettings } from './channels.ts';
import type { CronChange } from './cron-actions.ts';
import type { BulkKind, BulkOutcome, ChosenAnswers } from './bulk-actions.ts';
import type { Queue } from './queues.ts';
import { CRON } from './resources/cron.ts';
import { JOB_EDIT } from './resources/job.ts';
import { QUEUE, type QueueChange } from './resources/queue.ts';
import { TEAM } from './resources/team.ts';
import { describeChange } from './resources/resource.ts';
import type { WindowInput } from './resources/window.ts';
import type { WindowOutcome } from './windows.ts';
import type { Work } from './work.ts';

/**
 * `look`: to see everything but secrets. `work`: to change crons, queues, jobs, alerts and windows, and to see their
 * secrets. `notifications`: to change channels and see their secrets, and to mute a whole team.
 */
export type Need = 'look' | 'work' | 'notifications';

export type Method = Exclude<keyof Work, 'isSecretHeader' | 'now' | 'for'>;

export type Entries = ActivityEntry | ActivityEntry[] | null;
export type MaybePromise<Value> = Value | Promise<Value>;

export interface Before {
  work: Work;
  isAdmin: boolean;
}

export interface Verb<Name extends Method> {
  needs: Need;
  entries?: (result: Awaited<ReturnType<Work[Name]>>, ...given: Parameters<Work[Name]>) => Entries;
  /** For entries that depend on the earlier state. Throws NotAllowed for a change that only admins may make. */
  prepare?: (
    before: Before,
    ...given: Parameters<Work[Name]>
  ) => MaybePromise<(result: Awaited<ReturnType<Work[Name]>>) => Entries>;
  /** Position of the parameter that names who creates runs. It is always the acting person. */
  actorAt?: number;
  /** Without `work`: the values of secret headers in the result are masked, or not read at all. */
  hides?: 'headers' | 'secrets';
  /** Whether masked fields of the result are hidden. Default: for `look`. */
  isMasked?: boolean;
  /** A look that is recorded, once in this time for a person and subject. If that fails, nothing is shown. */
  recordsAfterMs?: number;
}

const LOOK = { needs: 'look' } as const;
const HEADED = { needs: 'look', hides: 'headers' } as const;
/** With `showSecrets` nothing is hidden, and that is recorded. */
const SHOWN = { needs: 'look', hides: 'secrets', recordsAfterMs: 600_000 } as const;
/** A form saves it. It has no values of runs. */
const SETTINGS = { needs: 'look', isMasked: false } as const;
const WORK = { needs: 'work' } as const;
const SECRET = { needs: 'notifications' } as const;

type Word<Text> = Text extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Text;

/** Everybody in the team may call them. Names are separated by spaces. */
function looks<Line extends string>(...lines: Line[]) {
  const verbs = lines.flatMap((line) => line.split(' ').map((name) => [name, LOOK] as const));
  return Object.fromEntries(verbs) as { [Name in Word<Line>]: typeof LOOK };
}

export const VERBS: { readonly [Name in Method]: Verb<Name> } = {
  ...looks(
    'findSameCron listExecutions findExecution findTeamOfCron listCronRows readCronRow',
    'readDurations describeCronDeletion listCronHistory listQueues',
    'listQueueRows readQueueRow readRateWait readQueueHistory describeQueueDeletion',
    'listOfferedQueues listJobs listAttempts readResponseBodies findTeamOfJob searchJobs',
    'countTabs countJobs listBulkTasks findBulkTask groupFailures listRuns listRunsBefore',
    'readChannel listChannels listChannelChoices findChannel',
    'listChannelUsers listWindows listActiveWindows listAlertSources listAlerts',
    'findAlert findSlowSince listEndingCertificates listOpenWatches countUnreadAlerts readTeamPause readOverview readAttention',
    'readShownField',
    'readCounts readForecast findFirstCreatedSince findById findByWords listTags',
    'listActivity listActivityOf',
  ),
  createCron: { needs: 'work', entries: about('cron.created') },
  editCron: {
    needs: 'work',
    prepare: async ({ work }, teamId, id) => {
      const before = await work.findCron(teamId, id);
      return (subject) =>
        subject && {
          action: 'cron.edited',
          subject,
          detail: describeChange(CRON, before, subject),
        };
    },
  },
  startCron: { needs: 'work', entries: about('cron.started') },
  pauseCron: { needs: 'work', entries: pausedEntry('cron.paused') },
  runCronNow: {
    needs: 'work',
    actorAt: 2,
    prepare: async ({ work }, teamId, id) => {
      const subject = await work.findCron(teamId, id);
      return (run) => run && subject && { action: 'cron.run', subject };
    },
  },
  actOnCrons: {
    needs: 'work',
    actorAt: 3,
    entries: ({ done }, _teamId, act) =>
      done.map((subject) => ({ action: ON_CRONS[act], subject })),
  },
  muteCron: { needs: 'work', entries: cronEntry('cron.muted') },
  unmuteCron: { needs: 'work', entries: cronEntry('cron.unmuted') },
  addCronTag: { needs: 'work', entries: cronEntry('cron.edited', { detail: 'tags' }) },
  removeCronTag: { needs: 'work', entries: cronEntry('cron.edited', { detail: 'tags' }) },
  deleteCron: {
    needs: 'work',
    prepare: async ({ work }, teamId, id) => gone('cron.deleted', await work.findCron(teamId, id)),
  },
  findCron: {
    ...SHOWN,
    hides: 'headers',
    entries: (cron, _teamId, _id, options) =>
      cron && options?.showSecrets ? { action: 'cron.secrets-shown', subject: cron } : null,
  },
  findCronToEdit: WORK,
  listCrons: HEADED,

  setQueue: {
    needs: 'work',
    prepare: async ({ work, isAdmin }, teamId, name, change) => {
      const before = await work.findQueueByName(teamId, name);
      if (!isAdmin) refuseNobody(change, before);
      return (subject) =>
        before ? queueEdited(before, subject) : { action: 'queue.created', subject };
    },
  },
  editQueue: {
    needs: 'work',
    prepare: async ({ work, isAdmin }, teamId, id, change) => {
      const before = await work.findQueue(teamId, id);
      if (!isAdmin) refuseNobody(change, before);
      return (after) => after && queueEdited(before, after);
    },
  },
  findQueue: SETTINGS,
  findQueueByName: SETTINGS,
  renameQueue: {
    needs: 'work',
    prepare: async ({ work }, teamId, id, name) => {
      const before = await work.findQueue(teamId, id);
      const detail = `name: ${before?.name} → ${name}`;
      return (isDone) =>
        isDone ? { action: 'queue.edited', subject: { id, name }, detail } : null;
    },
  },
  pauseQueue: { needs: 'work', entries: pausedEntry('queue.paused') },
  resumeQueue: { needs: 'work', entries: about('queue.resumed') },
  deleteQueue: {
    needs: 'work',
    prepare: async ({ work }, teamId, id) => {
      const subject = await work.findQueue(teamId, id);
      return (jobs) =>
        jobs !== null && subject
          ? { action: 'queue.deleted', subject, detail: `with ${countOf(jobs, 'job')}` }
          : null;
    },
  },

  createJob: {
    needs: 'work',
    actorAt: 2,
    entries: ({ jobId }, _teamId, { queue }) => {
      return { action: 'job.created', subject: job(jobId), detail: `in ${queue}` };
    },
  },
  editJob: {
    needs: 'work',
    prepare: async ({ work }, teamId, id, edit) => {
      const found = await work.findJob(teamId, id);
      const before = found && { ...found, payloadJson: found.payload };
      const detail = describeChange(JOB_EDIT, before, edit);
      return ({ kind }) =>
        kind === 'done' ? { action: 'job.edited', subject: job(id), detail } : null;
    },
  },
  fireJob: { needs: 'work', entries: doneTo('job.fired') },
  retryJob: { needs: 'work', actorAt: 3, entries: doneTo('job.retried') },
  deleteJob: { needs: 'work', entries: doneTo('job.deleted') },
  actOnJobs: {
    needs: 'work',
    actorAt: 4,
    entries: (result, _teamId, kind, ids, answers) => {
      const [only] = ids;
      const entry = bulk(kind, result, answers);
      const isOne = entry !== null && only !== undefined && ids.length === 1;
      return isOne ? { action: ONE[kind], subject: job(only) } : entry;
    },
  },
  startBulk: {
    needs: 'work',
    actorAt: 4,
    entries: (result, _teamId, kind, _search, answers) => bulk(kind, result, answers),
  },
  cancelBulkTask: { needs: 'work', entries: done('jobs.cancelled') },
  findJob: HEADED,
  findJobToEdit: WORK,

  readJobDetail: {
    ...SHOWN,
    entries: (run, _teamId, id, options) =>
      run && options?.showSecrets ? { action: 'job.secrets-shown', subject: job(id) } : null,
  },
  readExecutionDetail: {
    ...SHOWN,
    entries: (run, _teamId, _id, options) =>
      run && options?.showSecrets ? { action: 'cron.secrets-shown', subject: run.cron } : null,
  },
  readResponseText: SHOWN,
  testRun: { needs: 'work', isMasked: true },

  setChannel: {
    needs: 'notifications',
    // An address is secret, so only the kind is recorded.
    entries: (result, _teamId, { kind }) =>
      result.kind === 'saved' ? { action: 'channel.edited', detail: kind } : null,
  },
  addChannel: {
    needs: 'notifications',
    entries: (result, _teamId, settings) => channelEntry('channel.added', result, settings),
  },
  editChannel: {
    needs: 'notifications',
    entries: (result, _teamId, _id, settings) => channelEntry('channel.edited', result, settings),
  },
  deleteChannel: {
    needs: 'notifications',
    prepare: async ({ work }, teamId, id) => {
      const channel = await work.findChannel(teamId, id);
      return gone('channel.deleted', channel && { id, name: channel.name ?? '' });
    },
  },
  listChannelSettings: SECRET,
  findChannelConfig: SECRET,

  createWindow: {
    needs: 'work',
    prepare: ({ isAdmin }, _teamId, window) => {
      if (!isAdmin) refuseWholeTeam(window);
      return windowEntry('window.created');
    },
  },
  startMaintenanceNow: {
    needs: 'work',
    prepare: ({ isAdmin }, _teamId, covers) => {
      if (!isAdmin) refuseWholeTeam({ covers });
      return windowEntry('window.created');
    },
  },
  editWindow: {
    needs: 'work',
    prepare: async ({ work, isAdmin }, teamId, id, window) => {
      if (!isAdmin)
        for (const each of [window, await work.findWindow(teamId, id)]) refuseWholeTeam(each);
      return windowEntry('window.edited');
    },
  },
  findWindow: SETTINGS,
  deleteWindow: {
    needs: 'work',
    prepare: async ({ work }, teamId, id) =>
      gone('window.deleted', await work.findWindow(teamId, id)),
  },

  markAlerts: WORK,
  markAlertsReadUpTo: WORK,

  readTeamSettings: SETTINGS,
  readMask: WORK,
  editTeamSettings: {
    needs: 'work',
    prepare: async ({ work, isAdmin }, teamId, change) => {
      const before = await work.readTeamSettings(teamId);
      const after = { ...before, ...change };
      if (!isAdmin && !isDeepStrictEqual(before.maskedFields, after.maskedFields))
        throw notAllowed('change masked fields');
      if (isDeepStrictEqual(before, after)) return () => null;
      const detail = describeChange(TEAM, before, after);
      return () => ({ action: 'team.edited', detail });
    },
  },
  pauseTeam: {
    needs: 'work',
    entries: (isDone, _teamId, _by, until = null) =>
      isDone ? { action: 'team.paused', ...untilOf({ pausedUntil: until }) } : null,
  },
  resumeTeam: { needs: 'work', entries: done('team.resumed') },
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

function about(action: ActivityAction) {
  return (subject: Named | null) => subject && { action, subject };
}

function pausedEntry(action: ActivityAction) {
  return (subject: (Named & Pick<Pause, 'pausedUntil'>) | null) =>
    subject && { action, subject, ...untilOf(subject) };
}

function done(action: ActivityAction) {
  return (isDone: boolean) => (isDone ? { action } : null);
}

function untilOf({ pausedUntil }: Pick<Pause, 'pausedUntil'>): Pick<ActivityEntry, 'detail'> {
  return pausedUntil === null ? {} : { detail: describeUntil(pausedUntil) };
}

function gone(action: ActivityAction, subject: Named | null) {
  return (isGone: boolean) => (isGone && subject ? { action, subject } : null);
}

function cronEntry(action: ActivityAction, more: Pick<ActivityEntry, 'detail'> = {}) {
  return (result: CronChange) =>
    result.kind === 'done' ? { action, subject: result.changed, ...more } : null;
}

function queueEdited(before: Queue | null, subject: Queue): ActivityEntry {
  return { action: 'queue.edited', subject, detail: describeChange(QUEUE, before, subject) };
}

function doneTo(action: ActivityAction) {
  return ({ kind }: { kind: string }, _teamId: string, id: string) =>
    kind === 'done' ? { action, subject: job(id) } : null;
}

function windowEntry(action: ActivityAction) {
  return (result: WindowOutcome) =>
    result.kind === 'done' ? { action, subject: result.window } : null;
}

function channelEntry(
  action: ActivityAction,
  result: ChannelOutcome,
  { name, config: { kind } }: ChannelSettings,
): ActivityEntry | null {
  return result.kind === 'saved'
    ? { action, subject: { id: result.id, name }, detail: kind }
    : null;
}

function job(id: string): Named {
  return { id, name: id.slice(-8) };
}

function bulk(
  kind: BulkKind,
  result: BulkOutcome,
  answers: ChosenAnswers | undefined,
): ActivityEntry | null {
  const count =
    result.kind === 'started'
      ? result.task.total
      : result.kind === 'done' && result.done > 0 && result.done;
  if (count === false) return null;
  const rate = answers?.rate ? `, at ${formatRate(answers.rate)}` : '';
  return { action: MANY[kind], detail: `${countOf(count, 'job')}${rate}` };
}

function refuseWholeTeam(window: Pick<WindowInput, 'covers'> | null): void {
  if (window?.covers === 'team') throw notAllowed('mute the whole team');
}

function refuseNobody(change: QueueChange, present: Queue | null): void {
  if (silencesFailures(change, present)) throw notAllowed("notify nobody of a queue's failures");
}

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

function notAllowed(what: string): NotAllowed {
  return new NotAllowed(`a member may not: ${what}`);
}

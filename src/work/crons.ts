import { nextRunAfter, searchFrom } from '#domain/cron/cron';
import { isSameSchedule } from '#domain/cron/cron-fields';
import { isId } from '#domain/base/ids';
import { changePause, NOT_PAUSED } from '#domain/team/pause';
import { bind } from '#store/database/context';
import type { Cron, ExecutionDetail, ExecutionRecord } from '#store/crons/crons';
import { anybody, type Doing, untilOf } from './acting.ts';
import type { ShowOptions } from './run-detail.ts';
import type { Store } from '#store/store';
import { CRON, CRON_EXTRAS, type CronExtras, type CronInput } from './resources/cron.ts';
import { describeChange, initialOf } from './resources/resource.ts';
import { boundLimit } from './list-limit.ts';

export type { Cron, CronExtras, ExecutionDetail, ExecutionRecord };

export interface SameCron {
  id: string;
  name: string;
}

const INITIAL = initialOf(CRON_EXTRAS);

/** §3.1. Inputs were read by resources/cron.ts; ids may be any text. Null (or false): the team has no such cron. */
export function createCronWork(store: Store, doing: Doing = anybody()) {
  const { crons, clock } = store;
  const { recorded } = doing;
  const reads = createCronReads(store);
  const { findCronToEdit: findCron } = reads;
  return {
    ...reads,
    /** A new cron with every call (§2.1); first at the first scheduled time after now. */
    createCron: async (
      teamId: string,
      { isActive, pausedUntil: until, ...settings }: CronInput & Partial<CronExtras>,
    ) => {
      const now = clock.now();
      const pause = { isPaused: !isActive, pausedUntil: until };
      const { isPaused, pausedUntil } = changePause(NOT_PAUSED, pause, now);
      const whole = { ...INITIAL, ...settings };
      const from = searchFrom(whole.startsAt, now);
      const next = isPaused ? null : nextRunAfter(whole.cronExpression, from);
      const cron = await crons.create(teamId, whole, next, now, pausedUntil);
      return recorded(teamId, 'cron.created', cron);
    },
    editCron: async (
      teamId: string,
      cronId: string,
      { isActive, pausedUntil, ...edit }: Partial<CronInput & CronExtras>,
    ) => {
      const before = await findCron(teamId, cronId);
      if (!before) return null;
      const settings = { ...before, ...edit };
      const pause = { isPaused: isActive === undefined ? undefined : !isActive, pausedUntil };
      const cron = await crons.update(teamId, cronId, settings, { pause, now: clock.now() });
      return recorded(teamId, 'cron.edited', cron, (after) => describeChange(CRON, before, after));
    },
    startCron: async (teamId: string, cronId: string) =>
      isId(cronId)
        ? recorded(teamId, 'cron.started', await crons.start(teamId, cronId, clock.now()))
        : null,
    pauseCron: async (teamId: string, cronId: string, until: number | null = null) =>
      isId(cronId)
        ? recorded(teamId, 'cron.paused', await crons.pause(teamId, cronId, until), untilOf)
        : null,
    /** Outside the schedule; paused crons too. */
    runCronNow: async (teamId: string, cronId: string) => {
      const cron = await findCron(teamId, cronId);
      const run = cron && (await crons.addExecution(teamId, cronId, clock.now(), doing.actor));
      if (run) await recorded(teamId, 'cron.run', cron);
      return run;
    },
    deleteCron: async (teamId: string, cronId: string) => {
      const cron = await findCron(teamId, cronId);
      const isGone = cron !== null && (await crons.delete(teamId, cronId));
      if (isGone) await recorded(teamId, 'cron.deleted', cron);
      return isGone;
    },
    /** With `showSecrets` nothing is masked (verbs.ts). */
    findCron: async (teamId: string, cronId: string, { showSecrets }: ShowOptions = {}) => {
      const cron = await findCron(teamId, cronId);
      if (cron && showSecrets && doing.may('work'))
        await doing.recordShown(teamId, { action: 'cron.secrets-shown', subject: cron });
      return cron;
    },
  };
}

const MOST_OF_URL = 100;

function createCronReads(store: Store) {
  const { crons } = store;
  return {
    ...bind(store, { findSameCron }),
    /** With every value, to save some of them again; they aren't shown. */
    findCronToEdit: async (teamId: string, cronId: string) =>
      isId(cronId) ? crons.find(teamId, cronId) : null,
    listCrons: (teamId: string) => crons.list(teamId),
    /** Newest first. */
    listExecutions: async (teamId: string, cronId: string, limit: number, before?: string) =>
      isId(cronId) && (before === undefined || isId(before))
        ? crons.listExecutions(teamId, cronId, boundLimit(limit), before)
        : [],
    findExecution: async (teamId: string, executionId: string) =>
      isId(executionId) ? crons.findExecution(teamId, executionId) : null,
    findTeamOfCron: async (cronId: string) => (isId(cronId) ? crons.findTeam(cronId) : null),
  };
}

/**
 * The oldest other cron with this URL and an equal schedule, among the first 100 of the URL (§3.1). Null for an edited
 * cron that has them already: its duplicate was reported before.
 */
async function findSameCron(
  { crons }: Store,
  teamId: string,
  { url, cronExpression }: Pick<CronInput, 'url' | 'cronExpression'>,
  ownId?: string,
): Promise<SameCron | null> {
  const found = await crons.listOfUrl(teamId, url, MOST_OF_URL);
  const same = found.filter((each) => isSameSchedule(each.cronExpression, cronExpression));
  if (same.some(({ id }) => id === ownId)) return null;
  const [first] = same;
  return first ? { id: first.id, name: first.name } : null;
}

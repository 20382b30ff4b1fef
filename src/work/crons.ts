import { nextRunAfter, searchFrom } from '#domain/cron/cron';
import { isSameSchedule } from '#domain/cron/cron-fields';
import { isId } from '#domain/base/ids';
import { changePause, NOT_PAUSED } from '#domain/team/pause';
import type { Cron, ExecutionDetail, ExecutionRecord } from '#store/crons/crons';
import type { ShowOptions } from './run-detail.ts';
import type { Store } from '#store/store';
import { CRON_EXTRAS, type CronExtras, type CronInput } from './resources/cron.ts';
import { initialOf } from './resources/resource.ts';
import { boundLimit } from './list-limit.ts';

export type { Cron, CronExtras, ExecutionDetail, ExecutionRecord };

export interface SameCron {
  id: string;
  name: string;
}

const INITIAL = initialOf(CRON_EXTRAS);

/** §3.1. Inputs were read by resources/cron.ts; ids may be any text. Null (or false): the team has no such cron. */
export function createCronWork({ crons, clock }: Store) {
  const findCron = async (teamId: string, cronId: string) =>
    isId(cronId) ? crons.find(teamId, cronId) : null;
  return {
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
      return crons.create(teamId, whole, next, now, pausedUntil);
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
      return crons.update(teamId, cronId, settings, { pause, now: clock.now() });
    },
    startCron: async (teamId: string, cronId: string) =>
      isId(cronId) ? crons.start(teamId, cronId, clock.now()) : null,
    pauseCron: async (teamId: string, cronId: string, until: number | null = null) =>
      isId(cronId) ? crons.pause(teamId, cronId, until) : null,
    /** Outside the schedule; paused crons too. */
    runCronNow: async (teamId: string, cronId: string, actor: string | null = null) =>
      isId(cronId) ? crons.addExecution(teamId, cronId, clock.now(), actor) : null,
    deleteCron: async (teamId: string, cronId: string) =>
      isId(cronId) && crons.delete(teamId, cronId),
    /** The role decides what the options show (verbs.ts). */
    findCron: async (teamId: string, cronId: string, _options?: ShowOptions) =>
      findCron(teamId, cronId),
    /** With every value, to save some of them again; they aren't shown. */
    findCronToEdit: findCron,
    /**
     * The oldest other cron with this URL and an equal schedule, among the first 100 of the URL (§3.1). Null for an
     * edited cron that has them already: its duplicate was reported before.
     */
    findSameCron: async (
      teamId: string,
      { url, cronExpression }: Pick<CronInput, 'url' | 'cronExpression'>,
      ownId?: string,
    ): Promise<SameCron | null> => {
      const found = await crons.listOfUrl(teamId, url, MOST_OF_URL);
      const same = found.filter((each) => isSameSchedule(each.cronExpression, cronExpression));
      if (same.some(({ id }) => id === ownId)) return null;
      const [first] = same;
      return first ? { id: first.id, name: first.name } : null;
    },
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

const MOST_OF_URL = 100;

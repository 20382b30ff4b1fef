import { parseAssertions } from '#domain/assertions';
import { nextRunAfter } from '#domain/cron';
import { isSameSchedule } from '#domain/cron-fields';
import { isId } from '#domain/ids';
import type { Cron, ExecutionDetail, ExecutionRecord } from '#store/crons/crons';
import type { Store } from '#store/store';
import { CRON_EXTRAS, type CronExtras, type CronInput } from './resources/cron.ts';
import { initialOf } from './resources/resource.ts';
import { boundLimit } from './list-limit.ts';

export type { Cron, CronExtras, ExecutionDetail, ExecutionRecord };

/** The edited settings of a cron. Without `isActive` it stays active or paused. */
type CronEdit = Omit<CronInput, 'isActive'> & { isActive?: boolean } & Partial<CronExtras>;

/** A cron that calls the same URL at the same times as another. */
export interface SameCron {
  id: string;
  name: string;
}

type AssertionsOutcome<Changed> =
  | { kind: 'done'; changed: Changed }
  | { kind: 'not-found' }
  | { kind: 'refused'; error: string };

/**
 * Managing a team's crons (§3.1). Inputs have been read by resources/cron.ts; ids may be any text. Null (or false): the
 * team has no cron of that id, even if another team has.
 */
export interface CronWork {
  /** Makes a new cron with every call (§2.1 rule 2). Its first run is at the first scheduled time after now. */
  createCron(teamId: string, input: CronInput & Partial<CronExtras>): Promise<Cron>;
  /** Edits a cron. Extras that are left out stay unchanged. */
  editCron(teamId: string, cronId: string, input: CronEdit): Promise<Cron | null>;
  startCron(teamId: string, cronId: string): Promise<Cron | null>;
  pauseCron(teamId: string, cronId: string): Promise<Cron | null>;
  /** Adds an execution outside the schedule, to an active or a paused cron. */
  runCronNow(teamId: string, cronId: string): Promise<ExecutionRecord | null>;
  /** @param input  the list in the form that `parseAssertions` takes */
  setCronAssertions(
    teamId: string,
    cronId: string,
    input: unknown,
  ): Promise<AssertionsOutcome<Cron>>;
  /** Deletes a cron with its executions. */
  deleteCron(teamId: string, cronId: string): Promise<boolean>;
  findCron(teamId: string, cronId: string): Promise<Cron | null>;
  /**
   * The oldest other cron of the team with the same URL and an equal schedule, among the first 100 of the URL (§3.1).
   *
   * @param ownId the cron that is edited. Null if it has this URL and schedule already: its duplicate was reported
   * before.
   */
  findSameCron(
    teamId: string,
    input: Pick<CronInput, 'url' | 'cronExpression'>,
    ownId?: string,
  ): Promise<SameCron | null>;
  /** By name. */
  listCrons(teamId: string): Promise<Cron[]>;
  /**
   * A cron's executions, newest first.
   *
   * @param before  only executions older than the one of this id: the next page
   */
  listExecutions(
    teamId: string,
    cronId: string,
    limit: number,
    before?: string,
  ): Promise<ExecutionDetail[]>;
  findExecution(teamId: string, executionId: string): Promise<ExecutionDetail | null>;
  /** For the operator, who has only the cron's id. */
  findTeamOfCron(cronId: string): Promise<string | null>;
}

export function createCronWork({ crons, clock }: Store): CronWork {
  const findCron = async (teamId: string, cronId: string) =>
    isId(cronId) ? crons.find(teamId, cronId) : null;
  return {
    createCron: async (teamId, { isActive, ...settings }) => {
      const now = clock.now();
      const nextRunAt = isActive ? nextRunAfter(settings.cronExpression, now) : null;
      return crons.create(teamId, { ...initialOf(CRON_EXTRAS), ...settings }, nextRunAt, now);
    },
    editCron: async (teamId, cronId, { isActive = null, ...edit }) => {
      const before = await findCron(teamId, cronId);
      if (!before) return null;
      const { assertions, alertSettings, end, tags } = before;
      const settings = { assertions, alertSettings, end, tags, ...edit };
      const now = clock.now();
      const nextRunAt = nextRunAfter(edit.cronExpression, now);
      return crons.update(teamId, cronId, settings, { isActive, nextRunAt, now });
    },
    startCron: async (teamId, cronId) => {
      if (!isId(cronId)) return null;
      const now = clock.now();
      return crons.start(teamId, cronId, (expression) => nextRunAfter(expression, now));
    },
    pauseCron: async (teamId, cronId) => (isId(cronId) ? crons.pause(teamId, cronId) : null),
    runCronNow: async (teamId, cronId) =>
      isId(cronId) ? crons.addExecution(teamId, cronId, clock.now()) : null,
    setCronAssertions: async (teamId, cronId, input) => {
      const assertions = parseAssertions(input);
      if ('error' in assertions) return { kind: 'refused', error: assertions.error };
      const changed = isId(cronId) ? await crons.setAssertions(teamId, cronId, assertions) : null;
      return changed ? { kind: 'done', changed } : { kind: 'not-found' };
    },
    deleteCron: async (teamId, cronId) => isId(cronId) && crons.delete(teamId, cronId),
    findCron,
    findSameCron: async (teamId, { url, cronExpression }, ownId) => {
      const found = await crons.listOfUrl(teamId, url, MOST_OF_URL);
      const same = found.filter((each) => isSameSchedule(each.cronExpression, cronExpression));
      if (same.some(({ id }) => id === ownId)) return null;
      const [first] = same;
      return first ? { id: first.id, name: first.name } : null;
    },
    listCrons: (teamId) => crons.list(teamId),
    listExecutions: async (teamId, cronId, limit, before) =>
      isId(cronId) && (before === undefined || isId(before))
        ? crons.listExecutions(teamId, cronId, boundLimit(limit), before)
        : [],
    findExecution: async (teamId, executionId) =>
      isId(executionId) ? crons.findExecution(teamId, executionId) : null,
    findTeamOfCron: async (cronId) => (isId(cronId) ? crons.findTeam(cronId) : null),
  };
}

/** How many crons of one URL are looked at for the same schedule. */
const MOST_OF_URL = 100;

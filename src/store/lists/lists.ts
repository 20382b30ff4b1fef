import type { RunSearch } from '#domain/run-search';
import type { Clock } from '#domain/clock';
import { type LastRuns, listNextCrons, readLastRuns } from '../crons/cron-overview.ts';
import type { Database } from '../database/database.ts';
import * as crons from './cron-lists.ts';
import {
  type FailureGroups,
  type FailuresAsked,
  findFirstFailure,
  groupFailures,
} from './failures.ts';
import { type BoundedCount, countJobs, countTabs, type TabCounts } from './job-counts.ts';
import { listJobPage, type PageOptions } from './job-list.ts';
import {
  countRunningJobs,
  type QueueLoad,
  type RateLoad,
  type QueuesAsked,
  readQueueLoads,
  readRateLoad,
} from './queue-lists.ts';
import { readCronResults, readQueueResults, type RunResult } from './recent-results.ts';
import { type AnsweredRun, listRunPage, type RunsAsked } from './run-list.ts';
import type { FoundJob, JobSearch } from './search.ts';
import * as tags from './tag-lists.ts';
import type { ListPage } from './walk.ts';

export type { BoundedCount, FailureGroups, FoundJob, JobSearch, QueueLoad, TabCounts };
export type { CronKey, EndedRun } from './cron-lists.ts';
export type { FailureGroup } from './failures.ts';
export { MOST_COUNTED } from './job-counts.ts';
export { MOST_IN_A_ROW } from './queue-lists.ts';
export { MOST_SAMPLED } from './cron-lists.ts';
export type { TaggedCrons } from './tag-lists.ts';

/** Lists and counts for pages. The cost of every call is bounded and does not grow with the stored data. */
export class ListStore {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async listJobs(
    teamId: string,
    search: JobSearch,
    options: PageOptions,
  ): Promise<ListPage<FoundJob>> {
    return listJobPage({ db: this.#db, clock: this.#clock }, teamId, search, options);
  }

  /** Ended runs of jobs and crons, latest end first; or the history of a cron. */
  async listRuns(
    teamId: string,
    search: RunSearch,
    options: RunsAsked,
  ): Promise<ListPage<AnsweredRun>> {
    return listRunPage({ db: this.#db, clock: this.#clock }, teamId, search, options);
  }

  async countTabs(teamId: string, queueId: string | undefined): Promise<TabCounts> {
    return countTabs(this.#db, teamId, queueId);
  }

  async countJobs(teamId: string, search: JobSearch): Promise<BoundedCount> {
    return countJobs({ db: this.#db, clock: this.#clock }, teamId, search);
  }

  async groupFailures(teamId: string, asked: FailuresAsked): Promise<FailureGroups> {
    return groupFailures(this.#db, teamId, asked);
  }

  /** The time of the earliest failure that still exists and was not resent; null: there is none. */
  async findFirstFailure(teamId: string, queueId: string | undefined): Promise<number | null> {
    return findFirstFailure(this.#db, teamId, queueId);
  }

  async readQueueLoads(
    asked: QueuesAsked & { failedSince: number },
  ): Promise<Map<string, QueueLoad>> {
    return readQueueLoads(this.#db, asked);
  }

  async countRunningJobs(asked: QueuesAsked): Promise<Map<string, number>> {
    return countRunningJobs(this.#db, asked);
  }

  async readRateLoad(teamId: string, queueId: string): Promise<RateLoad> {
    return readRateLoad(this.#db, teamId, queueId, this.#clock.now());
  }

  /** Each queue's last ended attempts, oldest first. The caller has checked that the queues are its own. */
  async readQueueResults(
    queueIds: readonly string[],
    length: number,
  ): Promise<Map<string, RunResult[]>> {
    return readQueueResults(this.#db, queueIds, length);
  }

  /** A page of crons by name; one more than the limit where there are more. */
  async listCronIds(teamId: string, asked: crons.CronsAsked): Promise<string[]> {
    return crons.listCronIds(this.#db, teamId, asked);
  }

  /** Finds crons with every word, those with the most similar names first. */
  async findCrons(
    teamId: string,
    words: readonly string[],
    limit: number,
  ): Promise<crons.FoundCron[]> {
    return crons.findCrons(this.#db, teamId, words, limit);
  }

  async readCronResults(
    teamId: string,
    cronIds: readonly string[],
    length: number,
  ): Promise<Map<string, RunResult[]>> {
    return readCronResults(this.#db, teamId, cronIds, length);
  }

  /** The last finished runs of crons, latest end first: of all crons, and the failed ones of active crons. */
  async readLastRuns(teamId: string, limit: number): Promise<LastRuns> {
    return readLastRuns(this.#db, teamId, limit);
  }

  /** The crons that run next, soonest first. */
  async listNextCrons(
    teamId: string,
    limit: number,
  ): Promise<{ id: string; name: string; nextRunAt: number }[]> {
    return listNextCrons(this.#db, teamId, limit);
  }

  /** The tags of a team's crons or queues, in alphabetical order. */
  async listTags(teamId: string, of: 'crons' | 'queues'): Promise<string[]> {
    return tags.listTagsOf(this.#db, teamId, of);
  }

  async countTaggedCrons(teamId: string): Promise<Map<string, tags.TaggedCrons>> {
    return tags.countTaggedCrons(this.#db, teamId);
  }

  async sampleRuns(
    teamId: string,
    cronId: string,
    range: { firstId: string; from: number; to: number },
  ): Promise<crons.EndedRun[]> {
    return crons.sampleRuns(this.#db, teamId, cronId, range);
  }

  async countExecutions(
    teamId: string,
    cronId: string,
    most: number,
  ): Promise<{ unfinished: number; finished: number }> {
    return crons.countExecutions(this.#db, teamId, cronId, most);
  }
}

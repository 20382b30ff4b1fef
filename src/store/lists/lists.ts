import { listNextCrons, readLastRuns } from '../crons/cron-overview.ts';
import { bind, type Context } from '../database/context.ts';
import { countExecutions, findCrons, sampleRuns } from './cron-lists.ts';
import { findFirstFailure, groupFailures } from './failures.ts';
import { countJobs, countTabs } from './job-counts.ts';
import { countRunningJobs, readQueueLoads, readRateLoad } from './queue-lists.ts';
import { readCronResults, readQueueResults } from './recent-results.ts';
import { listJobPage, listRunPage } from './run-list.ts';
import { listSourceStates, readStreaks } from './source-states.ts';
import { listTagsOf } from './sources.ts';

export type { EndedRun } from './cron-lists.ts';
export type { FailureGroup, FailureGroups } from './failures.ts';
export type { TabCounts } from './job-counts.ts';
export type { QueueLoad } from './queue-lists.ts';
export type { FoundJob, JobSearch } from './search.ts';
export type { SourceKind, SourcesAsked, SourceState } from './source-states.ts';
export { MOST_COUNTED } from '../database/bounded-count.ts';
export { MOST_IN_A_ROW } from './queue-lists.ts';
export { MOST_SAMPLED } from './cron-lists.ts';

/** The cost of every call is bounded by a limit or by the numbers of crons and queues of a team. */
export function lists({ searches: db, clock }: Context) {
  return {
    ...bind(
      { db, clock },
      { countJobs, listJobs: listJobPage, listRuns: listRunPage, readRateLoad },
    ),
    ...bind(db, {
      countExecutions,
      countRunningJobs,
      countTabs,
      findCrons,
      findFirstFailure,
      groupFailures,
      listNextCrons,
      listSourceStates,
      listTags: listTagsOf,
      readCronResults,
      readLastRuns,
      readQueueLoads,
      readQueueResults,
      readStreaks,
      sampleRuns,
    }),
  };
}

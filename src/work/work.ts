import { type IsSecretHeader, isSecretHeader as isUsualSecret } from '#domain/secret-headers';
import type { Store } from '#store/store';
import { type Acting, workFor } from './acting.ts';
import { type ActivityWork, createActivityWork } from './activity.ts';
import { type AlertWork, createAlertWork } from './alerts.ts';
import { type ChannelWork, createChannelWork } from './channels.ts';
import { type CronActions, createCronActions } from './cron-actions.ts';
import type { CronPages } from './cron-contract.ts';
import { type CronWork, createCronWork } from './crons.ts';
import type { JobPages } from './job-contract.ts';
import { createCronPages } from './cron-pages.ts';
import { createJobPages } from './job-pages.ts';
import { createJobWork, type JobWork } from './jobs.ts';
import { createOverviewWork, type OverviewWork } from './overview.ts';
import { createOverviewPage } from './overview-page.ts';
import { createFindWork, type FindWork } from './finding.ts';
import { createQueuePages } from './queue-pages.ts';
import { createQueueWork, type QueueWork } from './queues.ts';
import { createRunListWork, type RunListWork } from './run-list.ts';
import { createRunPages } from './run-pages.ts';
import { createTeamPauseWork, type TeamPauseWork } from './team-pauses.ts';
import { createTagWork, type TagWork } from './tags.ts';
import { createTestRun, type TestRunOptions } from './test-run.ts';
import type { RunPages } from './run-contract.ts';
import { createWindowWork, type WindowWork } from './windows.ts';

/**
 * A team's crons, queues, jobs, alerts and maintenance windows: the same methods for the API, the dashboard and the
 * command line. Who is a member is checked elsewhere (by people). Each call names the team, and things of other teams do
 * not exist for it.
 */
export type Work = CronWork &
  CronActions &
  JobWork &
  QueueWork &
  OverviewWork &
  AlertWork &
  ChannelWork &
  WindowWork &
  FindWork &
  TagWork &
  TeamPauseWork &
  ActivityWork &
  Pages & {
    /** The same methods on behalf of somebody: their role is enforced (§5.8), and changes are recorded (§5.10). */
    for(acting: Acting): Work;
  };

type Pages = RunListWork &
  CronPages &
  JobPages &
  RunPages & {
    /** Whether a header is masked until it is requested, the same everywhere (§5.9). */
    isSecretHeader: IsSecretHeader;
  };

/**
 * @param isSecretHeader the installation's rule; by default the usual one, without further names of the operator
 * @param testing the services of test runs; without it (the command line) there are none
 */
export function createWork({
  store,
  isSecretHeader = isUsualSecret,
  testing,
}: {
  store: Store;
  isSecretHeader?: IsSecretHeader;
  testing?: Omit<TestRunOptions, 'store'>;
}): Work {
  const cronWork = createCronWork(store);
  const work: Work = {
    ...cronWork,
    ...createCronActions(store, cronWork),
    ...createJobWork(store),
    ...createQueueWork(store),
    ...createOverviewWork(store),
    ...createAlertWork(store),
    ...createChannelWork(store),
    ...createWindowWork(store),
    ...createFindWork(store),
    ...createTagWork(store),
    ...createTeamPauseWork(store),
    ...createActivityWork(store),
    ...createJobPages(store),
    ...createCronPages(store),
    ...createQueuePages(store),
    ...createOverviewPage(store),
    ...createRunListWork(store),
    ...createRunPages(store, isSecretHeader),
    isSecretHeader,
    testRun: testing ? createTestRun({ store, ...testing }) : refuseTestRun,
    for: (acting) => workFor(work, acting, store),
  };
  return work;
}

function refuseTestRun(): never {
  throw new Error('test runs need a way out');
}

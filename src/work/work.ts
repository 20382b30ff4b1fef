import { type IsSecretHeader, isSecretHeader as isUsualSecret } from '#domain/secret-headers';
import type { Store } from '#store/store';
import { type Acting, workFor } from './acting.ts';
import { createActivityWork } from './activity.ts';
import { createAlertWork } from './alerts.ts';
import { createChannelWork } from './channels.ts';
import { createCronActions } from './cron-actions.ts';
import { createCronWork } from './crons.ts';
import { createCronPages } from './cron-pages.ts';
import { createJobPages } from './job-pages.ts';
import { createJobWork } from './jobs.ts';
import { createOverviewWork } from './overview.ts';
import { createFindWork } from './finding.ts';
import { createQueuePages } from './queue-pages.ts';
import { createQueueWork } from './queues.ts';
import { createRunListWork } from './run-list.ts';
import { createRunPages } from './run-pages.ts';
import { createTeamPauseWork } from './team-pauses.ts';
import { createTagWork } from './tags.ts';
import { createTestRun, type TestRunOptions } from './test-run.ts';
import { createWindowWork } from './windows.ts';

/**
 * A team's crons, queues, jobs, alerts and maintenance windows: the same methods for the API, the dashboard and the
 * command line. Who is a member is checked elsewhere (by people). Each call names the team, and things of other teams do
 * not exist for it.
 */
export interface Work extends ReturnType<typeof createMethods> {
  /** The same methods on behalf of somebody: their role is enforced (§5.8), and changes are recorded (§5.10). */
  for(acting: Acting): Work;
}

interface WorkOptions {
  store: Store;
  /** The installation's rule; by default the usual one, without further names of the operator. */
  isSecretHeader?: IsSecretHeader;
  /** The services of test runs; without it (the command line) there are none. */
  testing?: Omit<TestRunOptions, 'store'>;
}

export function createWork(options: WorkOptions): Work {
  const work: Work = {
    ...createMethods(options),
    for: (acting) => workFor(work, acting, options.store),
  };
  return work;
}

function createMethods({ store, isSecretHeader = isUsualSecret, testing }: WorkOptions) {
  const crons = createCronWork(store);
  return {
    ...crons,
    ...createCronActions(store, crons),
    ...createCronPages(store),
    ...createQueueWork(store),
    ...createQueuePages(store),
    ...createJobWork(store),
    ...createJobPages(store),
    ...createOverviewWork(store),
    ...createAlertWork(store),
    ...createChannelWork(store),
    ...createWindowWork(store),
    ...createFindWork(store),
    ...createTagWork(store),
    ...createTeamPauseWork(store),
    ...createActivityWork(store),
    ...createRunListWork(store),
    ...createRunPages(store, isSecretHeader),
    /** Whether a header is masked until it is requested, the same everywhere (§5.9). */
    isSecretHeader,
    testRun: testing ? createTestRun({ store, ...testing }) : refuseTestRun,
  };
}

function refuseTestRun(): never {
  throw new Error('test runs need a way out');
}

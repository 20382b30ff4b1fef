import { type IsSecretHeader, isSecretHeader as isUsualSecret } from '#domain/http/secret-headers';
import { bind } from '#store/database/context';
import type { Store } from '#store/store';
import { type Acting, workFor } from './acting.ts';
import { createActivityWork } from './activity.ts';
import { createAlertWork } from './alerts.ts';
import { type AskNewAddresses, createChannelWork } from './channels.ts';
import { createCronActions } from './cron-actions.ts';
import { createCronWork } from './crons.ts';
import { createCronPages } from './cron-pages.ts';
import { createJobPages } from './job-pages.ts';
import { createJobWork } from './jobs.ts';
import { createOverviewWork } from './overview.ts';
import { createFindWork } from './finding.ts';
import { createQueuePages } from './queue-pages.ts';
import { createQueueWork } from './queues.ts';
import { listCronHistory, listRuns, listRunsBefore } from './run-list.ts';
import { createRunPages } from './run-pages.ts';
import { createTeamWork } from './team.ts';
import { createTestRun, type TestRunOptions } from './test-run.ts';
import { createWindowWork } from './windows.ts';

/** `people` checks membership; things of other teams do not exist here. */
export interface Work extends ReturnType<typeof createMethods> {
  /** Enforces the actor's role (§5.8) and records changes (§5.10). */
  for(acting: Acting): Work;
}

interface WorkOptions {
  store: Store;
  /** Default: the usual rule. */
  isSecretHeader?: IsSecretHeader;
  /** In addition to those of each team. */
  maskedFields?: readonly string[];
  /** Without it (the command line) there are no test runs. */
  testing?: Omit<TestRunOptions, 'store'>;
  /** Default: nobody is asked. */
  askNewAddresses?: AskNewAddresses;
}

export function createWork(options: WorkOptions): Work {
  const work: Work = {
    ...createMethods(options),
    for: (acting) =>
      workFor(work, acting, { store: options.store, readMask: onceATeam(work.readMask) }),
  };
  return work;
}

/** For one request or command. */
function onceATeam<Value>(read: (teamId: string) => Promise<Value>) {
  const known = new Map<string, Promise<Value>>();
  return (teamId: string) => {
    const value = known.get(teamId) ?? read(teamId);
    known.set(teamId, value);
    return value;
  };
}

function createMethods(options: WorkOptions) {
  const {
    store,
    isSecretHeader = isUsualSecret,
    maskedFields = [],
    testing,
    askNewAddresses = () => {},
  } = options;
  return {
    ...createCronWork(store),
    ...createCronActions(store),
    ...createCronPages(store),
    ...createQueueWork(store),
    ...createQueuePages(store),
    ...createJobWork(store),
    ...createJobPages(store),
    ...createOverviewWork(store),
    ...createAlertWork(store),
    ...createChannelWork(store, askNewAddresses),
    ...createWindowWork(store),
    ...createFindWork(store),
    ...createTeamWork(store, maskedFields),
    ...createActivityWork(store),
    ...bind(store, { listRuns, listCronHistory, listRunsBefore }),
    ...createRunPages(store, isSecretHeader),
    /** The same everywhere (§5.9). */
    isSecretHeader,
    now: () => store.clock.now(),
    testRun: testing ? createTestRun({ store, ...testing }) : refuseTestRun,
  };
}

function refuseTestRun(): never {
  throw new Error('test runs need a way out');
}

import { type IsSecretHeader, isSecretHeader as isUsualSecret } from '#domain/http/secret-headers';
import { bind } from '#store/database/context';
import type { Store } from '#store/store';
import { type Acting, anybody, type Doing, doingOf } from './acting.ts';
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
import { createTestRun, type TestRun, type TestRunOptions } from './test-run.ts';
import { limitWork, type Need } from './verbs.ts';
import { createWindowWork } from './windows.ts';

/** `people` checks membership; things of other teams do not exist here. */
export interface Work extends ReturnType<typeof createMethods> {
  /** Enforces the actor's role (§5.8) and records changes right after them (§5.10). */
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
  const { store, testing } = options;
  const testRun = testing ? createTestRun({ store, ...testing }) : refuseTestRun;
  const methodsFor = (doing: Doing) => createMethods({ ...options, testRun }, doing);
  const workFor = (acting: Acting): Work => {
    const work: Work = {
      ...methodsFor(doingOf(acting, store)),
      // The work of one role leads to no higher one.
      for: (next) => {
        const may = (need: Need) => acting.may(need) && next.may(need);
        return workFor({ ...next, may });
      },
    };
    return { ...work, ...limitWork(work, acting, onceATeam(work.readMask)) };
  };
  return { ...methodsFor(anybody()), for: workFor };
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

function createMethods(
  {
    store,
    isSecretHeader = isUsualSecret,
    maskedFields = [],
    testRun,
    askNewAddresses = () => {},
  }: WorkOptions & { testRun: TestRun },
  doing: Doing,
) {
  return {
    ...createCronWork(store, doing),
    ...createCronActions(store, doing),
    ...createCronPages(store),
    ...createQueueWork(store, doing),
    ...createQueuePages(store),
    ...createJobWork(store, doing),
    ...createJobPages(store, doing),
    ...createOverviewWork(store),
    ...createAlertWork(store),
    ...createChannelWork(store, doing, askNewAddresses),
    ...createWindowWork(store, doing),
    ...createFindWork(store),
    ...createTeamWork(store, doing, maskedFields),
    ...createActivityWork(store),
    ...bind(store, { listRuns, listCronHistory, listRunsBefore }),
    ...createRunPages(store, doing, isSecretHeader),
    /** The same everywhere (§5.9). */
    isSecretHeader,
    now: () => store.clock.now(),
    testRun,
  };
}

function refuseTestRun(): never {
  throw new Error('test runs need a way out');
}

/** Who may call which method (§5.8), and which values its result hides. */
import type { HeaderList } from '#domain/http/exchange';
import { NotAllowed } from '#domain/http/not-allowed';
import type { Mask } from '#domain/runs/masking';
import type { Acting } from './acting.ts';
import { maskDeep } from './masking.ts';
import { type ShowOptions, withMasks } from './run-detail.ts';
import type { Work } from './work.ts';

/**
 * `look`: to see everything but secrets. `work`: to change crons, queues, jobs, alerts and windows, and to see their
 * secrets. `notifications`: to change channels and see their secrets, and to mute a whole team.
 */
export type Need = 'look' | 'work' | 'notifications';

export type Method = Exclude<keyof Work, 'isSecretHeader' | 'now' | 'for'>;

interface Verb {
  needs: Need;
  /** Masked fields of the result are hidden. */
  isMasked: boolean;
  /** Without `work`, the values of secret headers in the result are masked. */
  hidesHeaders?: true;
}

const LOOK = { needs: 'look', isMasked: true } as const;
const HEADED = { ...LOOK, hidesHeaders: true } as const;
/** A form saves it. It has no values of runs. */
const SETTINGS = { needs: 'look', isMasked: false } as const;
const WORK = { needs: 'work', isMasked: false } as const;
const ADMIN = { needs: 'notifications', isMasked: false } as const;

type Word<Text> = Text extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Text;

/** Names are separated by spaces. */
function each<Line extends string>(verb: Verb, ...lines: Line[]) {
  const verbs = lines.flatMap((line) => line.split(' ').map((name) => [name, verb] as const));
  return Object.fromEntries(verbs) as { [Name in Word<Line>]: Verb };
}

export const VERBS: { readonly [Name in Method]: Verb } = {
  ...each(
    LOOK,
    'findSameCron listExecutions findExecution findTeamOfCron listCronRows readCronRow',
    'readDurations describeCronDeletion listCronHistory listQueues',
    'listQueueRows readQueueRow readRateWait readQueueHistory describeQueueDeletion',
    'listOfferedQueues listJobs listAttempts readResponseBodies findTeamOfJob searchJobs',
    'countTabs countJobs listBulkTasks groupFailures listRuns listRunsBefore',
    'readJobDetail readExecutionDetail readResponseText',
    'readChannel listChannels listChannelChoices findChannel',
    'listChannelUsers listWindows listActiveWindows listAlertSources listAlerts',
    'findSlowSince listEndingCertificates listOpenWatches',
    'readTeamPause readOverview readAttention readShownField',
    'readCounts findById findByWords listTags',
    'listActivity listActivityOf',
  ),
  ...each(HEADED, 'findCron listCrons findJob'),
  ...each(SETTINGS, 'findQueue findQueueByName findWindow readTeamSettings'),
  ...each(
    WORK,
    'createCron editCron startCron pauseCron runCronNow actOnCrons deleteCron findCronToEdit',
    'muteCron unmuteCron addCronTag removeCronTag',
    'setQueue editQueue renameQueue pauseQueue resumeQueue deleteQueue',
    'createJob editJob fireJob retryJob deleteJob findJobToEdit',
    'actOnJobs startBulk cancelBulkTask',
    'createWindow startMaintenanceNow editWindow deleteWindow markAlerts markAlertsReadUpTo',
    'readMask editTeamSettings pauseTeam resumeTeam',
  ),
  testRun: { needs: 'work', isMasked: true },
  ...each(
    ADMIN,
    'setChannel addChannel editChannel deleteChannel listChannelSettings findChannelConfig',
  ),
};

type Act = (teamId: string, ...given: unknown[]) => Promise<unknown>;

/** Its methods reject with NotAllowed if the role does not allow them. */
export function limitWork(
  work: Work,
  acting: Pick<Acting, 'may' | 'seesMasked'>,
  readMask: (teamId: string) => Promise<Mask>,
): Pick<Work, Method> {
  const { may, seesMasked = false } = acting;
  const limit = (name: string, { needs, isMasked, hidesHeaders }: Verb): Act => {
    const act = work[name as Method] as Act;
    if (!may(needs))
      return () => Promise.reject(new NotAllowed(`not allowed for the role: ${name}`));
    const shown = hidesHeaders && !may('work') ? hideHeaders(act, work) : act;
    if (!isMasked || seesMasked) return shown;
    return async (teamId, ...given) => {
      const [result, mask] = await Promise.all([shown(teamId, ...given), readMask(teamId)]);
      return may('work') && showsSecrets(given[1]) ? result : maskDeep(result, mask);
    };
  };
  const methods = Object.entries(VERBS).map(([name, verb]) => [name, limit(name, verb)]);
  return Object.fromEntries(methods) as Pick<Work, Method>;
}

const showsSecrets = (options: unknown) =>
  typeof options === 'object' && options !== null && (options as ShowOptions).showSecrets === true;

type Headed = { headers: HeaderList };

function hideHeaders(act: Act, { isSecretHeader }: Work): Act {
  const mask = (thing: Headed) => ({
    ...thing,
    headers: withMasks(thing.headers, { isSecretHeader, showSecrets: false }),
  });
  return async (...given) => {
    const result = (await act(...given)) as Headed | Headed[] | null;
    return Array.isArray(result) ? result.map(mask) : result && mask(result);
  };
}

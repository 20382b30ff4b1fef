import type { PrintedJob } from '#testing/remote';
import { TEAM } from '#testing/remote';
import type { Posted } from './load.ts';
import type { Past, Scene } from './scene.ts';
import { CRON_PATH, placeOf, callbackPathOf, TRIES } from './target.ts';

/**
 * What the operator's command line says of everything a scene has seen, beside what the target saw of it.
 */
export interface Findings {
  jobs: PrintedJob[];
  executions: PrintedExecution[];
  /** Runs counted for the month. */
  used: number;
  /** How often the cron had arrived when the others were read. */
  cronRuns: number;
}

interface PrintedExecution {
  id: string;
  status: string;
  reason: string | null;
}

/** Reads again if the cron arrived meanwhile: the list may or may not have that execution. */
export async function findOutcomes({ operate, cronId, target }: Scene): Promise<Findings> {
  for (;;) {
    const cronRuns = target.answersAt(CRON_PATH).length;
    const [jobs, executions, teams] = await Promise.all([
      operate<PrintedJob[]>('job', 'list', '--team', TEAM, '--limit', '10000'),
      operate<PrintedExecution[]>('execution', 'list', '--cron', cronId, '--limit', '1000'),
      operate<{ name: string; used: number }[]>('team', 'list'),
    ]);
    const used = teams.find(({ name }) => name === TEAM)?.used ?? 0;
    if (target.answersAt(CRON_PATH).length === cronRuns)
      return { jobs, executions, used, cronRuns };
  }
}

const HOUR = 3_600_000;

/** Whether it waits for a time that has not come. What fell due a moment ago may just be on its way. */
const waits = ({ status, scheduled_at }: PrintedJob) =>
  status === 'pending' && Date.parse(scheduled_at) > Date.now() + 1_000;

const hasEnded = ({ status }: { status: string }) =>
  !['pending', 'processing', 'running'].includes(status);

/** What the reliability page promises, in what a story has found to be otherwise. */
export type Broken = string[];

/**
 * Holds what came of a story against what the target saw.
 *
 * @param givesUp  whether runs of a node that was lost may have ended as `worker_failed`, and callbacks that it had
 *   taken may never have come (§3.6, §6.1)
 */
export function judge(scene: Scene, posted: Posted, found: Findings, givesUp: boolean): Broken {
  const ofStory = found.jobs.filter(
    ({ url }) => placeOf(new URL(url).pathname)?.cell === posted.cell,
  );
  const byJob = Map.groupBy(ofStory, ({ original_id }) => original_id);
  const broken: Broken = [];
  for (const [id, path] of posted.accepted) {
    if (!byJob.has(id)) broken.push(`${path} was answered with 201 and is gone`);
  }
  for (const attempts of byJob.values()) broken.push(...judgeJob(scene, posted, attempts, givesUp));
  for (const [status, times] of posted.refusals) {
    if (status !== 503 && status !== 0) broken.push(`${times} jobs were answered with ${status}`);
  }
  const { target } = scene;
  if (target.mostSingle() > 1) broken.push(`${target.mostSingle()} at once in a queue of one slot`);
  broken.push(...judgeExecutions(scene, found, givesUp));
  const drift = driftOf(found) - scene.past.drift;
  if (drift !== 0 && !isMonthEnding()) broken.push(`${drift} runs too many are counted`);
  return broken;
}

function judgeJob(
  { target }: Scene,
  posted: Posted,
  unsorted: readonly PrintedJob[],
  givesUp: boolean,
): Broken {
  const attempts = unsorted.toSorted((a, b) => a.attempt_number - b.attempt_number);
  const last = attempts.at(-1) as PrintedJob;
  const path = new URL(last.url).pathname;
  const says = (what: string) => `${path} ${what}; its attempts: ${describe(attempts)}`;
  const broken: Broken = [];
  const answers = target.answersAt(path);
  const ended = attempts.filter(hasEnded);
  const lost = ended.filter(({ reason }) => reason === 'worker_failed');
  if (!hasEnded(last) && !waits(last)) broken.push(says('does not end'));
  if (answers.length > ended.length) broken.push(says(`arrived ${answers.length} times`));
  if (answers.length < ended.length - lost.length)
    broken.push(says(`arrived only ${answers.length} times`));
  if (attempts.some(({ attempt_number }, n) => attempt_number !== n + 1))
    broken.push(says('misses an attempt or has one twice'));
  if (lost.length > 0) {
    if (!givesUp) broken.push(says('was given up'));
  } else {
    const expected = answers.map((status, n) => outcomeOf(status, n));
    const was = ended.map(({ status, response_status }) => `${status} ${response_status}`);
    if (was.join() !== expected.join()) broken.push(says(`should be ${expected.join(', ')}`));
    if (hasEnded(last) && last.status === 'retried') broken.push(says('has lost its retry'));
  }
  const callbacks = target.answersAt(callbackPathOf(path)).length;
  const isExpected = posted.wantsCallback.has(path) && hasEnded(last) && lost.length === 0;
  if (callbacks > 1) broken.push(says(`got ${callbacks} callbacks`));
  if (callbacks > 0 && !isExpected) broken.push(says('got an unexpected callback'));
  if (callbacks === 0 && isExpected && !givesUp) broken.push(says('got no callback'));
  return broken;
}

function outcomeOf(status: number, before: number): string {
  if (status === 200) return `success ${status}`;
  return before + 1 < TRIES ? `retried ${status}` : `dead_lettered ${status}`;
}

function describe(attempts: readonly PrintedJob[]): string {
  return attempts
    .map(({ status, response_status, reason }) => `${status} ${response_status ?? reason ?? ''}`)
    .join(', ');
}

/** One with the other, since an execution's request does not say which it is. */
function judgeExecutions({ target, past }: Scene, found: Findings, givesUp: boolean): Broken {
  const broken: Broken = [];
  const executions = found.executions.filter(({ id }) => !past.executions.has(id));
  const ended = executions.filter(hasEnded);
  const lost = ended.filter(({ reason }) => reason === 'worker_failed').length;
  if (ended.length < executions.length) broken.push('an execution does not end');
  if (lost > 0 && !givesUp) broken.push(`${lost} executions were given up`);
  const arrived = found.cronRuns - past.cronRuns;
  if (arrived > ended.length || arrived < ended.length - lost)
    broken.push(
      `the cron arrived ${arrived} times in ${ended.length} executions, ${lost} given up`,
    );
  const bodies = target.bodiesAt(callbackPathOf(CRON_PATH));
  const ids = bodies.map((body) => (JSON.parse(body) as { execution_id: string }).execution_id);
  if (new Set(ids).size < ids.length) broken.push('an execution got two callbacks');
  const silent = ended.filter(({ id }) => !ids.includes(id)).length;
  if (silent > 0 && !givesUp) broken.push(`${silent} executions got no callback`);
  return broken;
}

/**
 * How many runs are counted beyond those there were: 0 where counts are exact. Each run that ended is counted once,
 * and so is one that was given up, whether or not its request arrived.
 */
function driftOf({ jobs, executions, used }: Findings): number {
  return used - [...jobs, ...executions].filter(hasEnded).length;
}

/** Whether a count may begin anew before a story is over, by any clock in it. */
function isMonthEnding(): boolean {
  const monthOf = (ms: number) => new Date(ms).getUTCMonth();
  return monthOf(Date.now() - 2 * HOUR) !== monthOf(Date.now() + 2 * HOUR);
}

export function pastOf(found: Findings): Past {
  const executions = new Set(found.executions.filter(hasEnded).map(({ id }) => id));
  return { drift: driftOf(found), executions, cronRuns: found.cronRuns };
}

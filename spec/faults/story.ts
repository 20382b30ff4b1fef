import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type Broken, findOutcomes, judge, pastOf } from './judge.ts';
import { Load, type Posted } from './load.ts';
import { makePhases, type Node, type Past, type Scene } from './scene.ts';
import { placeOf, statusOf, callbackPathOf, TRIES } from './target.ts';
import { LONG_WAIT_LIMIT_MS } from '#testing/limits';

export interface Step {
  act: (hit: readonly Node[], scene: Scene) => void | Promise<void>;
  lastsMs: number;
}

/** A fault: what is done, one after the other. The last step mends it. */
export interface Fault {
  steps: readonly Step[];
  /** Which nodes it hits. Default: all. */
  hits?: 'first';
  /** Whether the scene may give up what a lost node was sending (§3.6, §6.1). Default: false. */
  givesUp?: boolean;
  /** Whether jobs may wait for a time that is far off when it is over, because a clock went back. Default: false. */
  leavesWaiting?: boolean;
}

/** Each look runs three commands. */
const LOOK_EVERY_MS = 1_000;

/**
 * Lets a fault happen amid a mixed load and holds what came of it against the promises.
 *
 * @returns what the clients and the nodes noticed of it
 */
export async function runStory(scene: Scene, fault: Fault): Promise<string> {
  const load = new Load(scene, ++scene.cells);
  await letHappen(scene, fault, load);
  await load.finish(4, LONG_WAIT_LIMIT_MS);
  const givesUp = fault.givesUp === true;
  if (!givesUp && fault.leavesWaiting !== true) {
    await untilAllCame(scene, load.posted).catch(() => {
      // `judge` reports what is missing, if it must not be.
    });
  }
  const { broken, past } = await untilKept(scene, load.posted, givesUp);
  scene.past = past;
  const noticed = [describePosted(load.posted), ...describeNodes(scene)].join('; ');
  assert.deepEqual(broken, [], [...broken, noticed].join('\n'));
  return noticed;
}

async function letHappen(scene: Scene, { steps, hits }: Fault, load: Load): Promise<void> {
  const phases = makePhases();
  scene.target.phases = phases;
  const hit = hits === 'first' ? scene.nodes.slice(0, 1) : scene.nodes;
  const trickling = new AbortController();
  let trickle = Promise.resolve();
  try {
    await load.prepare(steps.reduce((sum, { lastsMs }) => sum + lastsMs, 0));
    trickle = load.trickle(trickling.signal);
    for (const { act, lastsMs } of steps) {
      await act(hit, scene);
      phases.begun.open();
      await delay(lastsMs);
    }
  } finally {
    phases.begun.open();
    phases.over.open();
    trickling.abort();
    await trickle;
  }
}

/** Waits until as many requests and callbacks have come as there are to come of what was accepted. */
async function untilAllCame({ target }: Scene, { accepted, wantsCallback }: Posted): Promise<void> {
  const hasCome = (path: string) => {
    const place = placeOf(path);
    const answers = target.answersAt(path);
    const last = place && answers.length > 0 && statusOf(place, answers.length - 1);
    const isOver = last === 200 || answers.length === TRIES;
    return (
      isOver && (!wantsCallback.has(path) || target.answersAt(callbackPathOf(path)).length > 0)
    );
  };
  await target.until(() => [...accepted.values()].every(hasCome), 'all that is to come');
}

/** Looks until every promise is kept; gives what is broken after a time in which anything can be mended. */
async function untilKept(
  scene: Scene,
  posted: Posted,
  givesUp: boolean,
): Promise<{ broken: Broken; past: Past }> {
  const limit = performance.now() + LONG_WAIT_LIMIT_MS;
  for (;;) {
    const found = await findOutcomes(scene);
    const broken = judge(scene, posted, found, givesUp);
    if (broken.length === 0 || performance.now() > limit) return { broken, past: pastOf(found) };
    await delay(LOOK_EVERY_MS);
  }
}

function describePosted({ accepted, refusals }: Posted): string {
  const refused = [...refusals].map(
    ([status, times]) => `${times} answered ${status || 'nothing'}`,
  );
  return [`${accepted.size} jobs accepted`, ...refused].join(', ');
}

/** What the nodes have said so far that is no matter of course. */
function describeNodes({ nodes }: Scene): string[] {
  return nodes.map(({ belfry }, n) => {
    const events = belfry.output.map(
      (line) => /"level":"?(?:warn|error|[45]0)"?.*?"(?:event|msg)":"([^"]+)"/.exec(line)?.[1],
    );
    const counts = Object.entries(Object.groupBy(events, (event) => event ?? ''))
      .filter(([event]) => event !== '')
      .map(([event, each]) => `${event} ${each?.length}`);
    return `node ${n + 1} said so far: ${counts.join(', ')}`;
  });
}

import {
  commitsLost,
  connectionsCut,
  databaseAway,
  databaseClockSteps,
  databaseSlow,
  frozen,
  nodeClockSteps,
  pagesRead,
} from './faults.ts';
import type { Fault, Step } from './story.ts';

/** A fault with what chance made of it, in words. */
interface Chance {
  words: string;
  fault: Fault;
}

/** For so long in all a node may be lost without another's taking what it runs: less than a lease lasts. */
const SURELY_KEPT_MS = 9_000;
const HOUR = 3_600_000;

/**
 * One to three random faults in a row. The same seed gives the same faults.
 *
 * @param random  gives numbers from 0 to 1
 */
export function randomFault(random: () => number): Chance {
  const picked = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pickOne(random));
  const lostMs = picked
    .filter(({ fault }) => fault.hits === 'first')
    .flatMap(({ fault }) => fault.steps)
    .reduce((sum, { lastsMs }) => sum + lastsMs, 0);
  return {
    words: picked.map(({ words }) => words).join(', then '),
    fault: {
      steps: picked.flatMap(({ fault }) => fault.steps.map((step) => within(step, fault.hits))),
      givesUp: lostMs > SURELY_KEPT_MS,
      leavesWaiting: picked.some(({ fault }) => fault.leavesWaiting === true),
    },
  };
}

/** A step that hits its own nodes, whichever the whole hits. */
function within({ act, lastsMs }: Step, hits: Fault['hits']): Step {
  return {
    act: (_hit, scene) => act(hits === 'first' ? scene.nodes.slice(0, 1) : scene.nodes, scene),
    lastsMs,
  };
}

function pickOne(random: () => number): Chance {
  const seconds = Math.ceil((random() < 0.8 ? 6 : 24) * random());
  const byMs = random() < 0.5 ? 20_000 : HOUR;
  const isOne = random() < 0.5;
  const choices: readonly [words: string, fault: Fault, ofDatabase?: true][] = [
    [`the database refuses for ${seconds} s`, databaseAway('refuses', seconds)],
    [`the database is silent for ${seconds} s`, databaseAway('silent', seconds)],
    [`the server has no connection left for ${seconds} s`, databaseAway('full', seconds)],
    [`connections are cut ${seconds} times`, connectionsCut(seconds)],
    [`answers to commits are lost for ${seconds} s`, commitsLost('answer-lost', 3, seconds)],
    [`commits are lost for ${seconds} s`, commitsLost('commit-lost', 3, seconds)],
    [`the database is slow for ${seconds} s`, databaseSlow(500, seconds)],
    [`a freeze for ${seconds} s`, frozen(seconds)],
    [`twelve pages read for ${seconds} s`, pagesRead(12, seconds)],
    [`its clock steps by ${byMs / 1000} s`, nodeClockSteps(1, byMs, 0, -byMs)],
    [`the database's clock steps by ${byMs / 1000} s`, databaseClockSteps(byMs), true],
  ];
  const choice = choices[Math.floor(random() * choices.length)] as (typeof choices)[number];
  const [words, fault, ofDatabase] = choice;
  if (ofDatabase) return { words, fault };
  if (isOne) return { words: `one node: ${words}`, fault: { ...fault, hits: 'first' } };
  return { words: `both nodes: ${words}`, fault };
}

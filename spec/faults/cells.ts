/**
 * The matrix of the faults that test the promises of docs/reliability.md.
 *
 * Each story's load has runs in every state when its fault begins (target.ts), so states need no cells of their own:
 * `due` and `brief` before the commit of a claim and between claim and send; `answered` and `long` in flight;
 * `answered` unsettled during the fault; `brief` and `single` settling; `brief` with claimed callbacks, `callback`
 * with callbacks in flight. A cron's run is in flight too.
 *
 * Left out, because the outcome can't differ:
 * - SQLite has one node, no connections to cut, no answers to lose and no clock but the node's.
 * - If all nodes share the fault and the database works, two nodes behave like one. So clocks of nodes and a full disk
 *   are tested with one node; the node's clock is tested on both databases.
 * - A Postgres that crashes is in spec/failure.test.ts.
 *
 * A fault that is quick on two nodes and hits both isn't quick on one.
 */
import {
  commitsLost,
  connectionsCut,
  databaseAway,
  databaseClockSteps,
  databaseSlow,
  diskFull,
  fileLocked,
  frozen,
  killed,
  nodeClockSteps,
  pagesRead,
  threadEnds,
} from './faults.ts';
import type { SceneName } from './scene.ts';
import type { Fault } from './story.ts';

export interface Cell {
  title: string;
  fault: Fault;
  /** Cells of one lane run one after the other on the same processes; lanes run in parallel. */
  lane: number;
  /** The others run with `BELFRY_FULL=1`. */
  isQuick: boolean;
}

const HOUR = 3_600_000;
/** There is a step back behind each. */
const SMALL_STEPS = [20_000, 0, -20_000];
const LARGE_STEPS = [HOUR, 0, -HOUR];

const quick = (lane: number, title: string, fault: Fault): Cell => ({
  title,
  fault,
  lane,
  isQuick: true,
});
const long = (...given: Parameters<typeof quick>): Cell => ({ ...quick(...given), isQuick: false });
const onFirst = { hits: 'first' } as const;
const losesFirst = { hits: 'first', givesUp: true } as const;

const SQLITE: readonly Cell[] = [
  quick(1, 'another program locks the file for 6 s', fileLocked(6)),
  quick(1, "the node's clock steps by 20 s", nodeClockSteps(1, ...SMALL_STEPS)),
  quick(1, 'the thread that holds the database ends', threadEnds()),
  quick(1, 'the process is killed', killed(4)),
  long(2, 'the process is killed many times', killed(60)),
  long(1, 'another program locks the file for 20 s', fileLocked(20)),
  long(1, 'another program locks the file for 60 s', fileLocked(60)),
  long(2, "the node's clock steps by 1 h", nodeClockSteps(4, ...LARGE_STEPS)),
  long(2, 'the node is frozen for 20 s', frozen(20)),
  long(2, 'the node is frozen for 60 s', frozen(60)),
];

const SMALL_DISK: readonly Cell[] = [
  quick(1, 'the disk is full for 3 s', diskFull(3)),
  long(1, 'the disk is full for 20 s', diskFull(20)),
];

const POSTGRES: readonly Cell[] = [
  quick(2, 'the process is killed', killed(4)),
  long(3, 'the process is killed many times', killed(60)),
  long(1, 'the database is away for 5 s', databaseAway('refuses', 5)),
  quick(2, 'connections are cut', connectionsCut(8)),
  quick(2, 'the database is silent for 5 s', databaseAway('silent', 5)),
  quick(2, "the node's clock steps by 20 s", nodeClockSteps(1, ...SMALL_STEPS)),
  long(1, 'answers to commits are lost', commitsLost('answer-lost', 4, 4)),
  long(1, 'commits are lost', commitsLost('commit-lost', 4, 4)),
  long(1, 'the server has no connection left', databaseAway('full', 3)),
  long(1, 'the database is away for 20 s', databaseAway('refuses', 20)),
  long(1, 'the database is away for 60 s', databaseAway('refuses', 60)),
  long(2, 'the database is silent for 20 s', databaseAway('silent', 20)),
  long(2, 'the database is silent for 60 s', databaseAway('silent', 60)),
  long(4, 'pages read for 25 s', pagesRead(20, 25)),
  long(4, 'the database is slow for 25 s', databaseSlow(1_000, 25)),
  long(3, 'the node is frozen for 20 s', frozen(20)),
  long(3, 'the node is frozen for 60 s', frozen(60)),
  long(3, "the node's clock steps by 1 h", nodeClockSteps(4, ...LARGE_STEPS)),
  long(1, "the database's clock steps by 1 h", databaseClockSteps(...LARGE_STEPS)),
];

const TWO_NODES: readonly Cell[] = [
  quick(3, 'one node is killed', { ...killed(1), ...onFirst }),
  quick(1, 'the database is away for 5 s', databaseAway('refuses', 5)),
  long(1, 'connections are cut', connectionsCut(8)),
  quick(1, 'one node is cut off for 5 s', { ...databaseAway('refuses', 5), ...onFirst }),
  quick(1, "the database's clock steps by 20 s", databaseClockSteps(20_000)),
  quick(1, 'answers to commits are lost', commitsLost('answer-lost', 4, 4)),
  long(1, 'the database is away for 20 s', databaseAway('refuses', 20)),
  long(1, 'the database is away for 60 s', databaseAway('refuses', 60)),
  long(2, 'the database is silent for 20 s', databaseAway('silent', 20)),
  long(2, 'the database is silent for 60 s', databaseAway('silent', 60)),
  long(1, "the database's clock steps by 1 h", databaseClockSteps(...LARGE_STEPS)),
  long(3, 'pages read for 25 s', pagesRead(20, 25)),
  long(3, 'the database is slow for 25 s', databaseSlow(1_000, 25)),
  long(3, 'commits are lost', commitsLost('commit-lost', 4, 4)),
  long(3, 'the server has no connection left', databaseAway('full', 20)),
  long(3, "one node's clock steps by 1 h", { ...nodeClockSteps(4, ...LARGE_STEPS), ...onFirst }),
  long(2, 'both nodes are frozen for 20 s', frozen(20)),
  long(2, 'one node is frozen for 5 s', { ...frozen(5), ...onFirst }),
  quick(3, 'one node is frozen for 20 s', { ...frozen(20), ...losesFirst }),
  long(2, 'one node is frozen for 60 s', { ...frozen(60), ...losesFirst }),
  long(1, 'one node is cut off for 20 s', { ...databaseAway('refuses', 20), ...losesFirst }),
  long(1, 'one node is cut off in silence for 20 s', {
    ...databaseAway('silent', 20),
    ...losesFirst,
  }),
];

export const MATRIX: Record<SceneName, readonly Cell[]> = {
  SQLite: SQLITE,
  'SQLite on a small disk': SMALL_DISK,
  Postgres: POSTGRES,
  'Postgres on a small disk': SMALL_DISK,
  'Postgres, two nodes': TWO_NODES,
};

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
const quick = { isQuick: true };
const long = { isQuick: false };
const onFirst = { hits: 'first' } as const;
const losesFirst = { hits: 'first', givesUp: true } as const;

const SQLITE: readonly Cell[] = [
  { ...quick, lane: 1, title: 'another program locks the file for 6 s', fault: fileLocked(6) },
  {
    ...quick,
    lane: 1,
    title: "the node's clock steps by 20 s",
    fault: nodeClockSteps(1, ...SMALL_STEPS),
  },
  { ...quick, lane: 1, title: 'the thread that holds the database ends', fault: threadEnds() },
  { ...quick, lane: 1, title: 'the process is killed', fault: killed(4) },
  { ...long, lane: 2, title: 'the process is killed many times', fault: killed(60) },
  { ...long, lane: 1, title: 'another program locks the file for 20 s', fault: fileLocked(20) },
  { ...long, lane: 1, title: 'another program locks the file for 60 s', fault: fileLocked(60) },
  {
    ...long,
    lane: 2,
    title: "the node's clock steps by 1 h",
    fault: nodeClockSteps(4, ...LARGE_STEPS),
  },
  { ...long, lane: 2, title: 'the node is frozen for 20 s', fault: frozen(20) },
  { ...long, lane: 2, title: 'the node is frozen for 60 s', fault: frozen(60) },
];

const SMALL_DISK: readonly Cell[] = [
  { ...quick, lane: 1, title: 'the disk is full for 3 s', fault: diskFull(3) },
  { ...long, lane: 1, title: 'the disk is full for 20 s', fault: diskFull(20) },
];

const POSTGRES: readonly Cell[] = [
  { ...quick, lane: 3, title: 'the process is killed', fault: killed(4) },
  { ...long, lane: 3, title: 'the process is killed many times', fault: killed(60) },
  { ...long, lane: 1, title: 'the database is away for 5 s', fault: databaseAway('refuses', 5) },
  { ...quick, lane: 2, title: 'connections are cut', fault: connectionsCut(8) },
  { ...quick, lane: 2, title: 'the database is silent for 5 s', fault: databaseAway('silent', 5) },
  {
    ...quick,
    lane: 2,
    title: "the node's clock steps by 20 s",
    fault: nodeClockSteps(1, ...SMALL_STEPS),
  },
  {
    ...long,
    lane: 1,
    title: 'answers to commits are lost',
    fault: commitsLost('answer-lost', 4, 4),
  },
  { ...long, lane: 1, title: 'commits are lost', fault: commitsLost('commit-lost', 4, 4) },
  { ...long, lane: 1, title: 'the server has no connection left', fault: databaseAway('full', 3) },
  { ...long, lane: 1, title: 'the database is away for 20 s', fault: databaseAway('refuses', 20) },
  { ...long, lane: 1, title: 'the database is away for 60 s', fault: databaseAway('refuses', 60) },
  { ...long, lane: 2, title: 'the database is silent for 20 s', fault: databaseAway('silent', 20) },
  { ...long, lane: 2, title: 'the database is silent for 60 s', fault: databaseAway('silent', 60) },
  { ...long, lane: 4, title: 'pages read for 25 s', fault: pagesRead(20, 25) },
  { ...long, lane: 4, title: 'the database is slow for 25 s', fault: databaseSlow(1_000, 25) },
  { ...long, lane: 3, title: 'the node is frozen for 20 s', fault: frozen(20) },
  { ...long, lane: 3, title: 'the node is frozen for 60 s', fault: frozen(60) },
  {
    ...long,
    lane: 3,
    title: "the node's clock steps by 1 h",
    fault: nodeClockSteps(4, ...LARGE_STEPS),
  },
  {
    ...long,
    lane: 1,
    title: "the database's clock steps by 1 h",
    fault: databaseClockSteps(...LARGE_STEPS),
  },
];

const TWO_NODES: readonly Cell[] = [
  { ...quick, lane: 3, title: 'one node is killed', fault: { ...killed(1), ...onFirst } },
  { ...quick, lane: 1, title: 'the database is away for 5 s', fault: databaseAway('refuses', 5) },
  { ...long, lane: 1, title: 'connections are cut', fault: connectionsCut(8) },
  {
    ...quick,
    lane: 1,
    title: 'one node is cut off for 5 s',
    fault: { ...databaseAway('refuses', 5), ...onFirst },
  },
  {
    ...quick,
    lane: 1,
    title: "the database's clock steps by 20 s",
    fault: databaseClockSteps(20_000),
  },
  {
    ...quick,
    lane: 1,
    title: 'answers to commits are lost',
    fault: commitsLost('answer-lost', 4, 4),
  },
  { ...long, lane: 1, title: 'the database is away for 20 s', fault: databaseAway('refuses', 20) },
  { ...long, lane: 1, title: 'the database is away for 60 s', fault: databaseAway('refuses', 60) },
  { ...long, lane: 2, title: 'the database is silent for 20 s', fault: databaseAway('silent', 20) },
  { ...long, lane: 2, title: 'the database is silent for 60 s', fault: databaseAway('silent', 60) },
  {
    ...long,
    lane: 1,
    title: "the database's clock steps by 1 h",
    fault: databaseClockSteps(...LARGE_STEPS),
  },
  { ...long, lane: 3, title: 'pages read for 25 s', fault: pagesRead(20, 25) },
  { ...long, lane: 3, title: 'the database is slow for 25 s', fault: databaseSlow(1_000, 25) },
  { ...long, lane: 3, title: 'commits are lost', fault: commitsLost('commit-lost', 4, 4) },
  { ...long, lane: 3, title: 'the server has no connection left', fault: databaseAway('full', 20) },
  {
    ...long,
    lane: 3,
    title: "one node's clock steps by 1 h",
    fault: { ...nodeClockSteps(4, ...LARGE_STEPS), ...onFirst },
  },
  { ...long, lane: 2, title: 'both nodes are frozen for 20 s', fault: frozen(20) },
  { ...long, lane: 2, title: 'one node is frozen for 5 s', fault: { ...frozen(5), ...onFirst } },
  {
    ...quick,
    lane: 3,
    title: 'one node is frozen for 20 s',
    fault: { ...frozen(20), ...losesFirst },
  },
  {
    ...long,
    lane: 2,
    title: 'one node is frozen for 60 s',
    fault: { ...frozen(60), ...losesFirst },
  },
  {
    ...long,
    lane: 1,
    title: 'one node is cut off for 20 s',
    fault: { ...databaseAway('refuses', 20), ...losesFirst },
  },
  {
    ...long,
    lane: 1,
    title: 'one node is cut off in silence for 20 s',
    fault: { ...databaseAway('silent', 20), ...losesFirst },
  },
];

export const MATRIX: Record<SceneName, readonly Cell[]> = {
  SQLite: SQLITE,
  'SQLite on a small disk': SMALL_DISK,
  Postgres: POSTGRES,
  'Postgres on a small disk': SMALL_DISK,
  'Postgres, two nodes': TWO_NODES,
};

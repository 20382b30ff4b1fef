import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { earliestIdAt, newId } from '#domain/base/ids';
import type { RunSearch } from '#domain/runs/run-search';
import { TEAM_BOUNDS } from '#domain/team/team-bounds';
import { ask } from '#testing/ask';
import {
  aCallback,
  aClaimant,
  aClaimedJob,
  aCron,
  aJob,
  aNode,
  anExecutionSettlement,
  aQueue,
  aSettlement,
  aTeam,
  claimJobs,
} from '#testing/factories';
import { openPlanner, type PlanNode } from '#testing/plans';
import { pluck } from '#testing/pluck';
import {
  openPostgresTestStore,
  openSqliteTestStore,
  type OpenTestStore,
  postgresUrl,
  TEST_START,
  type TestStore,
} from '#testing/stores';
import { fillExecutions, fillJobs } from '#testing/fill';
import { add, all } from './database/rows.ts';
import type { RanStatement } from './database/runner.ts';
import { measureWaitingPayloads } from './jobs/job-records.ts';
import { writeCursor } from './lists/cursor.ts';
import type { JobSearch } from './lists/search.ts';
import { EXPIRING } from './retention/retention.ts';
import type { Store } from './store.ts';

const BIG = ['jobs', 'ended_jobs', 'ended_executions', 'callbacks', 'crons', 'duration_hours'];
const COME_AND_GO = ['jobs', 'executions', 'callbacks', 'notifications', 'batch_counts'];
/** Indexes that hold only the jobs running at this moment, so reading them whole is cheap. */
const SMALL_INDEXES = ['jobs_running'];

const bounds = { ...TEAM_BOUNDS, crons: 100_000 };

/**
 * Runs every statement of the engine, the API and retention once.
 * @param runs how many jobs and executions there are; 0: three queues and nothing else
 */
async function askAll(open: OpenTestStore, runs: number) {
  const ran = new Map<string, RanStatement>();
  const onStatement = (each: RanStatement) => ran.set(each.sql, each);
  const store = await open({ isEmpty: true, onStatement, bounds });
  await store.retention.keepPartitions(TEST_START, { historyDays: 30 });
  if (runs > 0) {
    await fill(store, runs);
    if (store.dialect === 'postgres') await ask(store, 'analyze');
  } else {
    const team = await aTeam(store);
    for (const name of ['a', 'b', 'c']) await aQueue(store, team.id, { name });
  }
  ran.clear();
  await askEverything(store);
  const statements = [...ran.values()].filter(isPlanned);
  assert.ok(statements.length > 30, `${statements.length} statements`);
  return { store, statements };
}

function explainOnSqlite(
  { location }: TestStore,
  statements: readonly RanStatement[],
  isFault: (detail: string, sql: string) => boolean,
): string[] {
  using database = new DatabaseSync(location.kind === 'sqlite' ? location.path : '', {
    readOnly: true,
  });
  return statements.flatMap(({ sql }) => {
    const rows = database.prepare(`explain query plan ${sql}`).all();
    const details = rows.map(({ detail }) => String(detail));
    return details.filter((detail) => isFault(detail, sql)).map((detail) => `${detail} in ${sql}`);
  });
}

/** The plans that are kept for any values, and with `withValues` also those for the values. */
async function explainOnPostgres(
  store: TestStore,
  statements: readonly RanStatement[],
  find: (node: PlanNode) => string[],
  { withValues = false } = {},
): Promise<string[]> {
  await using planner = await openPlanner(postgresUrl(store));
  const faults = [];
  for (const { sql, parameters } of statements) {
    for (const values of withValues ? [parameters, null] : [null]) {
      const nodes = (await planner.plan(sql, values)).flatMap(nodesOf);
      for (const fault of nodes.flatMap(find)) {
        faults.push(`${fault}, ${values ? 'values known' : 'values unknown'}, in ${sql}`);
      }
    }
  }
  return faults;
}

const isPrepared = ({ sql }: RanStatement) => sql.startsWith('/*');

/** No statement's cost may grow with the number of waiting or finished jobs. */
describe('plans of the statements that run all the time', () => {
  // It has no statistics, so its plans are the same for any number of rows.
  test('SQLite uses an index for every hot statement, and never one that reads a whole team', async () => {
    const { store, statements } = await askAll(openSqliteTestStore, 400);
    await using _ = store;
    assert.deepEqual(explainOnSqlite(store, statements, scansBigTable), []);
    assert.deepEqual(explainOnSqlite(store, statements, readsWholeTeam), []);
  });

  // The engine's connections plan each statement without its values, others only what is prepared.
  test('Postgres uses an index for every hot statement, with and without values', async () => {
    const { store, statements } = await askAll(openPostgresTestStore, 20_000);
    await using _ = store;
    const faults = await explainOnPostgres(store, statements, faultsOf, { withValues: true });
    assert.deepEqual(faults, []);
  });

  test('Postgres uses whole keys and indexes for empty tables, before and after they are analyzed', async () => {
    const { store, statements } = await askAll(openPostgresTestStore, 0);
    await using _ = store;
    const prepared = statements.filter(isPrepared);
    assert.deepEqual(await explainOnPostgres(store, prepared, wideReadsOf), []);
    for (const table of COME_AND_GO) await ask(store, `delete from ${table}`);
    await ask(store, 'analyze');
    // What a node had under way that died is looked for among all that runs.
    const searched = prepared.filter(({ sql }) => !/^\/\* find-claimed-|give-up/.test(sql));
    assert.deepEqual(await explainOnPostgres(store, searched, wholeReadsOf), []);
  });
});

function isPlanned({ sql }: RanStatement): boolean {
  return /^(\/\*.*\*\/)?\s*(select|with|insert|update|delete)/i.test(sql);
}

/** SQLite reports SCAN with the table's alias in the statement. */
function scansBigTable(detail: string, sql: string): boolean {
  const scanned = /^SCAN (\w+)/.exec(detail)?.[1];
  if (scanned === undefined) return false;
  // In a join with a batch it would be read once for each row of the batch.
  const isSmall = SMALL_INDEXES.some((index) => detail.includes(index));
  if (isSmall && !/\bjsonb?_each\b/.test(sql)) return false;
  return BIG.some(
    (table) => scanned === table || new RegExp(`\\b${table} (as )?"?${scanned}\\b`).test(sql),
  );
}

/**
 * Whether a plan uses the index by URL without a URL: the index begins with the team, so it reads all of the team's
 * jobs. And whether it searches open bulk tasks among all that the team ever had, or the counts of a source among
 * those of its team.
 */
function readsWholeTeam(detail: string, sql: string): boolean {
  const isOfOpenTasks = sql.includes('from bulk_tasks') && sql.includes('finished_at is null');
  const isOfSources = /\boutcomes-of-(queues|crons)\b/.test(sql);
  return (
    /jobs_by_url \(team_id=\?\)/.test(detail) ||
    (isOfOpenTasks && detail.includes('bulk_tasks') && detail.endsWith('(team_id=?)')) ||
    (isOfSources && detail.includes('batch_counts') && !detail.includes('source_id=?'))
  );
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Finds reads of a whole table of those that are mostly empty, and full of dead rows beside an old snapshot. */
function wholeReadsOf(node: PlanNode): string[] {
  const table = node['Relation Name'] ?? '';
  const condition = node['Index Cond'] ?? node['TID Cond'] ?? '';
  const isWhole = condition === '' || /^\(node_id = [^)]*\)$/.test(condition);
  const reads = COME_AND_GO.includes(table) && node['Node Type'].endsWith('Scan');
  return isWhole && reads ? [`${node['Node Type']} of ${table} by ${node['Index Name']}`] : [];
}

/** Whether a table is one of the given, or a partition of one: plans name only partitions. */
function isPartOf(table: string, big: readonly string[]): boolean {
  return big.includes(table.replace(/^ended_jobs_(dead|rest|\d+_\d+)$/, 'ended_jobs'));
}

/** Finds reads of all rows of one team, which are cheap only while the team is small. */
function wideReadsOf(node: PlanNode): string[] {
  const table = node['Relation Name'] ?? '';
  const isBig = isPartOf(table, ['jobs', 'ended_jobs', 'ended_executions']);
  const isWide = isOfTeamOnly(node) || node['Node Type'] === 'Seq Scan';
  return isBig && isWide ? [`${node['Node Type']} of ${table} by ${node['Index Cond']}`] : [];
}

function isOfTeamOnly(node: PlanNode): boolean {
  return /^\(team_id = [^)]*\)$/.test(node['Index Cond'] ?? '');
}

function faultsOf(node: PlanNode): string[] {
  const faults = node['Node Type'] === 'ModifyTable' ? locksChosenAgain(node) : [];
  const table = node['Relation Name'] ?? '';
  const index = node['Index Name'] ?? '';
  if (node['Node Type'] === 'Seq Scan' && isPartOf(table, BIG)) faults.push(`Seq Scan of ${table}`);
  const reads = /Index/.test(node['Node Type']) && node['Index Cond'] === undefined;
  const isSmall = SMALL_INDEXES.includes(index) || !BIG.some((big) => index.startsWith(big));
  if (reads && !isSmall) faults.push(`all of ${index}`);
  const isByUrl = /_by_url$|_team_id_left_idx$/.test(index);
  if (isByUrl && isOfTeamOnly(node)) faults.push(`a whole team by ${index}`);
  return faults;
}

/**
 * Finds choices of rows to lock that a plan may repeat. The inner side of a join may run once for each row of the outer
 * one; if it skips locked rows up to a limit, it finds others each time and takes more rows than the limit. Only parts
 * that stand alone (a CTE, an InitPlan) run once.
 */
function locksChosenAgain(node: PlanNode): string[] {
  return (node.Plans ?? []).flatMap((each) => {
    if (/^(CTE|InitPlan)/.test(each['Subplan Name'] ?? '')) return [];
    const isLimited = each['Node Type'] === 'Limit';
    const locks = each.Plans?.some((below) => below['Node Type'] === 'LockRows') === true;
    return isLimited && locks ? ['locked rows may be chosen anew'] : locksChosenAgain(each);
  });
}

async function fill(store: Store, runs: number): Promise<void> {
  const teamIds = [(await aTeam(store)).id, (await aTeam(store)).id];
  const teamOf = (n: number) => teamIds[n % 2] ?? '';
  const queueIds: string[] = [];
  for (let n = 0; n < 40; n++) {
    const { id } = await aQueue(store, teamOf(n), { name: `q${n}`, deadLetterDays: 365 });
    queueIds.push(id);
  }
  const states = ['pending', 'success', 'retried', 'dead_lettered', 'failed'];
  const jobs = Array.from({ length: runs }, (_, n) => {
    const queue = n % queueIds.length;
    return {
      team_id: teamOf(queue),
      queue_id: queueIds[queue] ?? '',
      status: states[n % states.length] ?? '',
      scheduled_at: TEST_START + 3_600_000,
      // Spread over the whole history, and so over its partitions.
      completed_at: TEST_START - n * 120_000,
    };
  });
  await fillJobs(store, jobs);
  for (const table of ['jobs', 'ended_jobs']) {
    const retries = `update ${table} set attempt_number = 2 where queue_id in (
      select id from queues where name like 'q1%')`;
    await ask(store, retries);
  }
  const cronIds: string[] = [];
  for (let n = 0; n < 20; n++) cronIds.push((await aCron(store, teamOf(n))).id);
  const executions = Array.from({ length: runs }, (_, n) => {
    const completed_at = TEST_START - n;
    return { team_id: teamOf(n), cron_id: cronIds[n % cronIds.length] ?? '', completed_at };
  });
  await fillExecutions(store, executions);
  const [cron] = await all(store.database, 'crons', { id: cronIds });
  assert.ok(cron);
  const others = Array.from({ length: runs / 4 }, (_, n) => {
    return { team_id: teamOf(n), id: newId(TEST_START) };
  });
  const next_run_at = TEST_START + 3_600_000;
  const crons = others.map((each, n) => ({ ...cron, ...each, next_run_at: next_run_at + n }));
  await add(store.database, 'crons', crons);
  const usual = { url: 'http://caller.example/', body: '{}', created_at: TEST_START };
  const callbacks = others.map((each) => Object.assign({ run_id: each.id }, each, usual));
  await add(store.database, 'callbacks', callbacks);
  const counted = { outcome: 'success', step: 1, runs: 1 } as const;
  const hours = executions.map(({ team_id, completed_at: hour }) => {
    return Object.assign({ team_id, source_id: newId(TEST_START), hour }, counted);
  });
  await add(store.database, 'duration_hours', hours);
}

async function askEverything(store: Store): Promise<void> {
  const team = (await store.teams.list())[0];
  assert.ok(team);
  const node = await aNode(store);
  const queues = await store.queues.list(team.id);
  const [limited = '', rated = '', watched = ''] = pluck(queues, 'name');
  await aQueue(store, team.id, { name: limited, concurrencyLimit: 5 });
  await aQueue(store, team.id, { name: rated, rate: { count: 5, per: 'second' } });
  const backlog = { minutes: 1, jobs: 10, pausedHours: 1 };
  const failureRate = { percent: 20, attempts: 50 };
  await aQueue(store, team.id, { name: watched, watch: { backlog, failureRate } });
  await Promise.all(queues.map(({ name }) => aJob(store, team.id, { queue: name })));
  const { jobId } = await aJob(store, team.id, { queue: 'new' });
  const total = { count: 1, isMore: false };
  const retry = { kind: 'retry', search: { tab: 'failed' }, total } as const;
  await store.bulkTasks.create(team.id, retry, TEST_START);
  await store.bulkTasks.list(team.id);
  const queueIds = queues.map(({ id }) => id);
  await claimJobs(store, node, { queueIds, monthlyLimit: 10 });
  const job = await aClaimedJob(store, team.id, node, { queue: 'alone' });
  const callback = aCallback(store, job);
  const response = { body: Buffer.from('x'), totalBytes: 1, trace: '{}' };
  const next = { id: newId(TEST_START), scheduledAt: TEST_START };
  const status = 'retried';
  await store.runs.settle(node, aSettlement(store, job, { status, response, next, callback }));
  const released = await aClaimedJob(store, team.id, node, { queue: 'released' });
  await store.nodes.releaseLostClaims(node, new Set(), { queueIds, since: TEST_START });
  await store.nodes.releaseLostClaims(node, new Set());
  await store.nodes.abandon(node, released, TEST_START);
  await store.runs.scanQueues();
  // Later scans begin where this one has seen that nothing waits.
  await store.runs.scanQueues();
  await store.runs.scanTeams();
  await store.callbacks.scanWaiting();
  const callbacks = await store.callbacks.take(node, [{ teamId: team.id, slots: 10 }]);
  for (const each of callbacks) await store.callbacks.end(each);
  await store.notifications.scanWaiting();
  await store.alerts.raiseReminders(TEST_START);
  await store.alerts.checkQueues(TEST_START);
  await store.alerts.listOpenWatches(team.id, queueIds);
  await store.alerts.list(team.id, { limit: 5 });
  await store.alerts.markReadUpTo(team.id, newId(TEST_START));
  await store.windows.notifyEnds();
  await store.activity.list(team.id, { limit: 5, from: 0, to: TEST_START });
  await store.notifications.claimDue(team.id, { now: TEST_START, leaseMs: 1000, most: 5 });
  await askOfCrons(store, team.id, node);
  await askOfLists(store, team.id, queues[0]?.id ?? '');
  await store.jobs.fire(team.id, [jobId]);
  await store.jobs.deletePending(team.id, [jobId]);
  const failed = await store.jobs.list(team.id, { limit: 50 });
  await store.jobs.list(team.id, { limit: 5, queueId: queueIds[0] ?? '', status: 'pending' });
  const failedIds = pluck(failed, 'id');
  await store.jobs.retryFailed(team.id, failedIds.slice(0, 5));
  await store.jobs.countResent(team.id, failedIds);
  await store.jobs.deleteFailed(team.id, failedIds);
  await store.jobs.find(team.id, job.id);
  await store.jobs.findTeam(job.id);
  await store.jobs.listAttempts(team.id, job.id);
  await measureWaitingPayloads(store.database, team.id);
  await store.nodes.renew(node, TEST_START, 1000);
  const rescuer = await aNode(store);
  await store.nodes.recoverDead(rescuer, TEST_START, await store.nodes.readOthers(rescuer));
  await store.usage.usedInMonth(team.id, TEST_START);
  await store.sourceFigures.read(100, TEST_START);
  const later = TEST_START + 40 * 86_400_000;
  const days = { historyDays: 30, successHistoryDays: 7 };
  for (const kind of EXPIRING)
    await store.retention.deleteSome(kind, { now: later, ...days, limit: 50 });
  await store.retention.lookAtSize(1, later);
  await store.retention.deleteEndedUntil(TEST_START - 90 * 86_400_000, 50);
  await store.queues.delete(team.id, queueIds[1] ?? '');
}

async function askOfLists(store: Store, teamId: string, queueId: string): Promise<void> {
  const { lists } = store;
  const later = TEST_START + 7_200_000;
  const searches: JobSearch[] = [
    { tab: 'all' },
    { tab: 'all', reason: 'timeout' },
    { tab: 'pending' },
    { tab: 'retrying', queueId },
    { tab: 'processing' },
    { tab: 'completed', from: TEST_START - 500, to: TEST_START },
    { tab: 'failed' },
    { tab: 'failed', resent: 'only' },
    { tab: 'failed', resent: 'any' },
    { tab: 'failed', statusCode: '5xx,404,none' },
    { tab: 'all', payloadText: 'nowhere' },
    { tab: 'all', responseText: 'nowhere', from: TEST_START - 500 },
    { tab: 'all', urlPrefix: 'http://nowhere.example/' },
    { tab: 'all', id: newId(TEST_START) },
  ];
  for (const search of searches) {
    await lists.listJobs(teamId, search, { limit: 50 });
    const back = writeCursor({ way: 'previous', key: { at: TEST_START, id: newId(TEST_START) } });
    await lists.listJobs(teamId, search, { limit: 50, cursor: back });
    await lists.countJobs(teamId, search);
  }
  await lists.countTabs(teamId, undefined);
  await lists.groupFailures(teamId, { from: 0, to: later });
  await lists.findFirstFailure(teamId, undefined);
  await store.teamCounts.readAttention(teamId);
  await lists.readQueueLoads({ teamId, queueIds: [queueId], failedSince: TEST_START - 1000 });
  await lists.countRunningJobs({ teamId, queueIds: [queueId] });
  await lists.readRateLoad(teamId, queueId);
  await lists.readQueueResults([queueId], 50);
  const cronIds = (await lists.listSourceStates(teamId, 'cron')).map(({ id }) => id);
  await lists.listSourceStates(teamId, 'cron', { text: 'nowhere', tag: 'nowhere' });
  await lists.listSourceStates(teamId, 'queue');
  await lists.readStreaks('cron', cronIds.slice(0, 20));
  await lists.readStreaks('queue', [queueId]);
  await lists.listTags(teamId, 'crons');
  await lists.listTags(teamId, 'queues');
  await lists.findCrons(teamId, ['night', 'backup'], 8);
  await lists.readCronResults(teamId, cronIds, 50);
  const cronId = cronIds[0] ?? newId(TEST_START);
  const firstId = earliestIdAt(TEST_START - 1000);
  await lists.sampleRuns(teamId, cronId, { firstId, from: TEST_START - 1000, to: later });
  await lists.countExecutions(teamId, cronId, 100);
  await lists.readLastRuns(teamId, 10);
  await askOfRuns(store, teamId, { queueId, cronId });
  await lists.listNextCrons(teamId, 10);
  await store.crons.findAll(teamId, cronIds);
  await store.crons.correctTimes(() => TEST_START);
  await store.crons.listOfUrl(teamId, 'http://target.example/', 100);
  await store.jobs.findRetryOf(teamId, newId(TEST_START));
  await store.callbacks.isWaiting(teamId, newId(TEST_START), TEST_START);
  await store.outcomes.readHours(teamId, TEST_START);
  await store.batchCounts.addUp(10);
  await store.durations.readHours(teamId, queueId, TEST_START);
  await store.depths.look(TEST_START);
  await store.depths.read(teamId, queueId, TEST_START);
  await store.depths.readSilences({ from: TEST_START - 1000, to: TEST_START }, 660_000);
}

async function askOfRuns(
  { lists }: Store,
  teamId: string,
  { queueId, cronId }: { queueId: string; cronId: string },
): Promise<void> {
  const searches: RunSearch[] = [
    {},
    { from: TEST_START - 1000, to: TEST_START + 7_200_000 },
    { queueId, outcome: 'failed' },
    { cronId, outcome: 'failure' },
    { kind: 'execution', reason: 'timeout' },
    { statusCode: '5xx', fault: 'refused' },
    { host: 'nowhere.example', urlPrefix: 'http://nowhere.example/', text: 'nowhere' },
    { id: newId(TEST_START) },
  ];
  const back = writeCursor({ way: 'previous', key: { at: TEST_START, id: newId(TEST_START) } });
  for (const search of searches) {
    await lists.listRuns(teamId, search, { limit: 50 });
    await lists.listRuns(teamId, search, { limit: 50, cursor: back });
  }
  for (const isHistory of [true, false]) {
    const asked = { limit: 20, isHistory, bodyBytes: 100 };
    await lists.listRuns(teamId, { cronId }, asked);
    await lists.listRuns(teamId, { cronId }, { ...asked, cursor: back });
  }
}

async function askOfCrons(store: Store, teamId: string, node: string): Promise<void> {
  const cron = await aCron(store, teamId, { nextRunAt: TEST_START });
  await store.crons.addExecution(teamId, cron.id, TEST_START);
  const asked = [{ id: teamId, slots: 5 }];
  const { claimed } = await store.runs.claimExecutions(asked, aClaimant(store, node));
  for (const run of claimed) await store.runs.settle(node, anExecutionSettlement(store, run));
  await store.teamPauses.pause(teamId, { at: TEST_START, by: 'Ada', until: null });
  await store.teamPauses.read(teamId);
  await store.teamPauses.resume(teamId, TEST_START);
  await store.teamPauses.pause(teamId, { at: TEST_START, by: 'Ada', until: TEST_START });
  await store.crons.pause(teamId, cron.id, TEST_START);
  await store.pauseEnds.endDue(TEST_START);
  await store.crons.listExecutions(teamId, cron.id, 20);
  await store.crons.findExecution(teamId, claimed[0]?.id ?? '');
  await store.crons.delete(teamId, cron.id);
}

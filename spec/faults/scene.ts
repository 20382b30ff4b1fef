import assert from 'node:assert/strict';
import { type DatabaseClock, fakeDatabaseClock } from '#testing/faults/database-clock';
import { type PostgresProxy, startPostgresProxy } from '#testing/faults/postgres-proxy';
import { mountSmallDisk, type SmallDisk } from '#testing/faults/small-disk';
import { createDatabaseOnSmallDisk } from '#testing/faults/small-tablespace';
import { makeSwitches, type Switches } from '#testing/faults/switches';
import { createMigratedDatabase } from '#testing/migrated';
import type { TestDatabase } from '#testing/postgres';
import { type BelfryProcess, runOperator, startBelfry } from '#testing/process';
import { type Client, makeClient, TEAM } from '#testing/remote';
import { makeGate } from '#testing/scheduling';
import { CRON_PATH, type Phases, startTarget, type Target, callbackPathOf } from './target.ts';

export interface Node {
  belfry: BelfryProcess;
  proxy: PostgresProxy | null;
  switches: Switches;
}

/** A service with everything around it, which a test can reach and break. */
export interface Scene extends AsyncDisposable {
  name: SceneName;
  nodes: Node[];
  target: Target;
  token: string;
  cronId: string;
  /** Null on SQLite, which has no clock of its own. */
  databaseClock: DatabaseClock | null;
  /** Where the database lies, if it may become full. */
  disk: SmallDisk | null;
  cells: number;
  past: Past;
  /** By the operator, who has a way to the database of their own. */
  operate: Operate;
}

/** What the stories so far have left, for which the next one is not to blame. */
export interface Past {
  /** Runs counted for the month beyond those that there were. */
  drift: number;
  executions: ReadonlySet<string>;
  cronRuns: number;
}

/** Runs a command of the command line and gives what it printed. */
type Operate = <Printed>(...args: string[]) => Promise<Printed>;

export type SceneName =
  | 'SQLite'
  | 'SQLite on a small disk'
  | 'Postgres'
  | 'Postgres on a small disk'
  | 'Postgres, two nodes';

/** Longer than the longest fault: what is in flight all the while is not to end by itself. */
const TIMEOUT_SECONDS = 150;
const env = { PLANS: 'unlimited=unlimited', LOG_LEVEL: 'info' };

export function makePhases(): Phases {
  return { begun: makeGate(), over: makeGate() };
}

export async function startScene(name: SceneName): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const target = stack.use(await startTarget(makePhases()));
  const { database, disk } = await makeDatabase(name, stack);
  const databaseClock = database && stack.use(await fakeDatabaseClock(database.url));
  const nodes: Node[] = [];
  for (let n = 0; n < (name === 'Postgres, two nodes' ? 2 : 1); n++) {
    const proxy = database && stack.use(await startPostgresProxy(database.url));
    const switches = makeSwitches();
    const databaseUrl = proxy?.url ?? (disk && `sqlite:${disk.folder}/belfry.db`);
    const belfry = await startBelfry({
      env: { ...env, ...switches.env },
      ...(databaseUrl !== null && { databaseUrl }),
    });
    const node = { belfry, proxy, switches };
    nodes.push(node);
    // A node may have been started anew by then.
    stack.defer(async () => {
      node.belfry.signal('SIGCONT');
      await node.belfry.stop();
    });
  }
  const [first] = nodes as [Node];
  const { folder } = first.belfry;
  const databaseUrl = database?.url ?? first.belfry.databaseUrl;
  // In this process: no story asks while another program locks the file, which would hold up the target.
  const operate = async <Printed>(...args: string[]) => {
    const { code, json, stderr } = await runOperator(args, { databaseUrl, folder, env });
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    return json as Printed;
  };
  const client = await makeClient(first.belfry);
  await Promise.all([
    setQueue(operate, 'plain', '--retries', '1s'),
    setQueue(operate, 'single', '--retries', '1s', '--concurrency', '1'),
  ]);
  const cronId = await makeCron(client, target.url);
  const owned = stack.move();
  return {
    name,
    nodes,
    target,
    cronId,
    databaseClock,
    disk,
    operate,
    token: client.token,
    cells: 0,
    past: { drift: 0, executions: new Set(), cronRuns: 0 },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** None for SQLite: the process creates its file. */
async function makeDatabase(
  name: SceneName,
  stack: AsyncDisposableStack,
): Promise<{ database: TestDatabase | null; disk: SmallDisk | null }> {
  switch (name) {
    case 'SQLite':
      return { database: null, disk: null };
    case 'SQLite on a small disk':
      return { database: null, disk: stack.use(mountSmallDisk(16)) };
    case 'Postgres on a small disk': {
      const database = stack.use(await createDatabaseOnSmallDisk(48));
      return { database, disk: database.disk };
    }
    case 'Postgres':
    case 'Postgres, two nodes':
      return { database: stack.use(await createMigratedDatabase()), disk: null };
  }
}

async function setQueue(operate: Operate, name: string, ...settings: string[]) {
  const all = [...settings, '--timeout', String(TIMEOUT_SECONDS)];
  await operate('queue', 'set', '--team', TEAM, '--queue', name, ...all);
}

async function makeCron(client: Client, targetUrl: string): Promise<string> {
  const { status, json } = await client.post('/api/crons', {
    name: 'Each minute',
    url: `${targetUrl}${CRON_PATH}`,
    cron_expression: '* * * * *',
    callback_url: `${targetUrl}${callbackPathOf(CRON_PATH)}`,
    timeout_seconds: TIMEOUT_SECONDS,
  });
  assert.equal(status, 201);
  return String(json['id']);
}

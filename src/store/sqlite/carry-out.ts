import type { RanStatement, Run } from '../database/runner.ts';
import type { Connection } from './connection.ts';
import type { Answer, Call } from './protocol.ts';

/** Waiting scripts share a commit. A script that fails is rolled back alone. If the commit fails, all have failed. */
export async function carryOut(
  connection: Connection,
  calls: readonly Call[],
  reports: boolean,
): Promise<Answer[]> {
  try {
    connection.begin();
    const answers: Answer[] = [];
    for (const call of calls) answers.push(await carryOutOne(connection, call, reports));
    connection.run('commit', []);
    return answers;
  } catch (error) {
    connection.run('rollback', []);
    return calls.map(({ id }) => faultOf(id, error));
  }
}

let loaded: ReturnType<typeof load> | null = null;

async function load() {
  const [{ transactionScripts }, { Runner }, { sqlite }] = await Promise.all([
    import('../database/transaction-scripts.ts'),
    import('../database/runner.ts'),
    import('../sql/sqlite.ts'),
  ]);
  return { transactionScripts, Runner, sqlite };
}

async function carryOutOne(
  connection: Connection,
  { id, script, input }: Call,
  reports: boolean,
): Promise<Answer> {
  connection.run('savepoint one', []);
  try {
    // A thread that only reads doesn't need them.
    loaded ??= load();
    const { transactionScripts, Runner, sqlite } = await loaded;
    const called = transactionScripts.get(script);
    if (!called) throw new Error(`there is no transaction script ${script}`);
    const ran: RanStatement[] = [];
    const run: Run = async (text, values) => connection.run(text, values);
    const runner = new Runner(sqlite, run, (each) => ran.push(each));
    const output = await called.run(runner, input as never);
    connection.run('release one', []);
    return { id, rows: [], changes: 0, output, ...(reports ? { ran } : {}) };
  } catch (error) {
    // A full disk may have ended the transaction; then the other scripts are undone too.
    if (!connection.isInTransaction) throw error;
    connection.run('rollback to one', []);
    connection.run('release one', []);
    return faultOf(id, error);
  }
}

export function faultOf(id: number, error: unknown): Answer {
  const { message, errcode } = error as { message: string; errcode?: number };
  return { id, rows: [], changes: 0, error: { message, errcode: errcode ?? 0 } };
}

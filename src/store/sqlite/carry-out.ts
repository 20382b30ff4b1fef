import type { RanStatement } from '../database/database.ts';
import { storableParameters } from '../database/storable-text.ts';
import type { QueryRunner } from '../database/transaction-script.ts';
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
  const [{ transactionScripts }, { runsStatements }, { sqlite }] = await Promise.all([
    import('../database/transaction-scripts.ts'),
    import('../database/prepared.ts'),
    import('../sql/sqlite.ts'),
  ]);
  return { transactionScripts, runsStatements, sqlite };
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
    const { transactionScripts, runsStatements, sqlite } = await loaded;
    const called = transactionScripts.get(script);
    if (!called) throw new Error(`there is no transaction script ${script}`);
    const ran: RanStatement[] = [];
    const runner = runsStatements(runnerOn(connection, ran), sqlite);
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

function runnerOn(connection: Connection, ran: RanStatement[]): QueryRunner {
  return {
    executeQuery: async <Row>({
      sql,
      parameters,
    }: {
      sql: string;
      parameters: readonly unknown[];
    }) => {
      const values = storableParameters(parameters);
      const startedAt = performance.now();
      const { rows } = connection.run(sql, values);
      ran.push({ sql, parameters: values, durationMs: performance.now() - startedAt });
      return { rows: rows as Row[] };
    },
  };
}

export function faultOf(id: number, error: unknown): Answer {
  const { message, errcode } = error as { message: string; errcode?: number };
  return { id, rows: [], changes: 0, error: { message, errcode: errcode ?? 0 } };
}

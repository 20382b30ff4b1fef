import type { RanStatement } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { storableParameters } from '../database/storable-text.ts';
import type { StatementRunner } from '../database/procedure.ts';
import type { Procedures } from '../database/procedures.ts';
import type { Connection } from './connection.ts';
import type { Answer, Call } from './protocol.ts';

/**
 * Carries out procedures that wait together as one transaction, so that they share the price of a commit.
 * One that fails is undone by itself; where the commit fails, or ends the transaction early, all have failed.
 *
 * @returns an answer a call, in their order
 */
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

let loaded: Promise<{ procedures: Procedures; sqlite: Dialect }> | null = null;

async function load(): Promise<{ procedures: Procedures; sqlite: Dialect }> {
  const [{ procedures }, { sqlite }] = await Promise.all([
    import('../database/procedures.ts'),
    import('./sql.ts'),
  ]);
  return { procedures, sqlite };
}

async function carryOutOne(
  connection: Connection,
  { id, procedure, input }: Call,
  reports: boolean,
): Promise<Answer> {
  connection.run('savepoint one', []);
  try {
    // Loaded when first wanted: a thread that only reads, or a service without work, has no need of them.
    loaded ??= load();
    const { procedures, sqlite } = await loaded;
    const called = procedures.get(procedure);
    if (!called) throw new Error(`there is no procedure ${procedure}`);
    const ran: RanStatement[] = [];
    const output = await called.run(runnerOn(connection, ran), sqlite, input as never);
    connection.run('release one', []);
    return { id, rows: [], changes: 0, output, ...(reports ? { ran } : {}) };
  } catch (error) {
    // A full disk may have ended the whole transaction: then nothing of the others stands either.
    if (!connection.isInTransaction) throw error;
    connection.run('rollback to one', []);
    connection.run('release one', []);
    return faultOf(id, error);
  }
}

function runnerOn(connection: Connection, ran: RanStatement[]): StatementRunner {
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

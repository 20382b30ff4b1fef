/**
 * The thread that holds one SQLite connection.
 *
 * A commit waits for the disk and a search may read a lot; both happen here, so that neither holds up
 * the timers and sockets of the main thread. Statements arrive in order and are answered in order.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Answer, Ask, WorkerSettings } from './protocol.ts';

const settings = workerData as WorkerSettings;
const database = new DatabaseSync(settings.path, {
  readOnly: settings.readOnly,
  timeout: settings.busyTimeoutMs,
  enableForeignKeyConstraints: true,
});
for (const pragma of settings.pragmas) database.exec(`PRAGMA ${pragma}`);

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

/** Enough for every statement that is written in the code; searches vary and push each other out. */
const MAX_PREPARED = 300;
const prepared = new Map<string, Prepared>();

function prepare(text: string): Prepared {
  const known = prepared.get(text);
  if (known) return known;
  const statement = database.prepare(text);
  const entry = { statement, returnsRows: statement.columns().length > 0 };
  prepared.set(text, entry);
  if (prepared.size > MAX_PREPARED) {
    const [oldest] = prepared.keys();
    if (oldest !== undefined) prepared.delete(oldest);
  }
  return entry;
}

const VACUUM = 'pragma incremental_vacuum';

function run({ sql, parameters, begins }: Ask): Pick<Answer, 'rows' | 'changes'> {
  // `immediate`: a transaction that reads first and writes later could otherwise find that somebody
  // else wrote in between, and fail with a lock that no waiting resolves.
  if (begins) database.exec('begin immediate');
  // A commit that failed for want of disk may have ended the transaction by itself.
  if (sql === 'rollback' && !database.isTransaction) return { rows: [], changes: 0 };
  if (sql.startsWith(VACUUM)) {
    // One step frees one page; only `exec` goes on to the end.
    database.exec(sql);
    return { rows: [], changes: 0 };
  }
  const { statement, returnsRows } = prepare(sql);
  const values = parameters as SQLInputValue[];
  if (returnsRows) return { rows: statement.all(...values), changes: 0 };
  return { rows: [], changes: Number(statement.run(...values).changes) };
}

function answer(ask: Ask): Answer {
  try {
    return { id: ask.id, ...run(ask) };
  } catch (error) {
    const { message, errcode } = error as { message: string; errcode?: number };
    return { id: ask.id, rows: [], changes: 0, error: { message, errcode: errcode ?? 0 } };
  }
}

parentPort?.on('message', (ask: Ask | 'close') => {
  if (ask !== 'close') {
    parentPort?.postMessage(answer(ask));
    return;
  }
  prepared.clear();
  database.close();
  parentPort?.close();
});

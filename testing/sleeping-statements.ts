/**
 * Loaded into a service by `NODE_OPTIONS=--import`, in each of its threads: gives its SQLite connections a function
 * `sleep(ms)`, as Postgres has one. A statement that computes for so long would take a core from other tests.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

interface Connections {
  prepare: (this: DatabaseSync, sql: string) => StatementSync;
}

const connections: Connections = DatabaseSync.prototype;
const { prepare } = connections;
const withSleep = new WeakSet<DatabaseSync>();

connections.prepare = function (sql) {
  if (!withSleep.has(this)) this.function('sleep', sleep);
  withSleep.add(this);
  return prepare.call(this, sql);
};

function sleep(ms: unknown): null {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
  return null;
}

/**
 * Loaded into the service's process before anything else (`NODE_OPTIONS=--import …`), into each of its threads: lets
 * the clock step, and ends the threads that hold a database. What to do stands in the files of one folder (switches.ts): `offset`, the wanted offset of the process's clock in milliseconds; `seen`, the last one that it has applied; `ends-threads`, there once its database threads are to end.
 */
import fs from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';

const folder = String(process.env['FAULTS_FOLDER']);
let offsetMs = 0;

const TrueDate = Date;

/** The `Date` of the process, which it uses for all readings of the time. */
class SteppingDate extends TrueDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(TrueDate.now() + offsetMs);
    else super(...(given as [number]));
  }

  static override now(): number {
    return TrueDate.now() + offsetMs;
  }
}

globalThis.Date = SteppingDate as DateConstructor;

fs.watch(folder, { persistent: false }, obey);
obey();

function obey(): void {
  const ordered = readOrder('offset');
  offsetMs = Number(ordered);
  if (isMainThread) {
    if (readOrder('seen') !== ordered) fs.writeFileSync(path.join(folder, 'seen'), ordered);
  } else if (readOrder('ends-threads') !== '' && holdsDatabase()) {
    // In a thread this ends only the thread.
    process.exit(1);
  }
}

function readOrder(name: string): string {
  try {
    return fs.readFileSync(path.join(folder, name), 'utf8');
  } catch {
    return '';
  }
}

function holdsDatabase(): boolean {
  const { moduleLoadList } = process as unknown as { moduleLoadList: string[] };
  return moduleLoadList.includes('NativeModule sqlite');
}

import type { Worker } from 'node:worker_threads';
import type { SqliteBackup } from './backup.ts';
import type { BackupOrder } from './backup-folder.ts';
import { startWorker } from './start-worker.ts';

export interface RunningBackup {
  made: Promise<SqliteBackup>;
  /** The next one removes its unfinished file. */
  cancel: () => Promise<void>;
}

/** It takes as long as the disk needs. */
export function backUpOnThread(order: BackupOrder): RunningBackup {
  const worker: Worker = startWorker({ workerData: { backup: order }, name: 'sqlite-backup' });
  const { promise: made, resolve, reject } = Promise.withResolvers<SqliteBackup>();
  worker.once('message', (outcome: SqliteBackup) => resolve(outcome));
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('it was broken off')));
  return { made, cancel: async () => void (await worker.terminate()) };
}

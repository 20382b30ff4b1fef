/** Serves a connection, or makes one backup and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import type { BackupOrder } from './backup-folder.ts';
import type { WorkerSettings } from './protocol.ts';

const given = workerData as WorkerSettings | { backup: BackupOrder };

if ('backup' in given) void makeBackup(given.backup);
else void openConnection(given);

async function openConnection(settings: WorkerSettings): Promise<void> {
  const { serveConnection } = await import('./connection-worker.ts');
  if (parentPort) serveConnection(parentPort, settings);
}

async function makeBackup(order: BackupOrder): Promise<void> {
  const { backUpIntoFolder } = await import('./backup-folder.ts');
  parentPort?.postMessage(backUpIntoFolder(order));
}

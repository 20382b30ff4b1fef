/** The script of a lent thread (sqlite-threads.ts): each message hands it a connection to open and a port to serve. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { serveConnection } from '#store/sqlite/connection-worker';
import type { WorkerSettings } from '#store/sqlite/protocol';

parentPort?.on('message', ({ port, settings }: { port: MessagePort; settings: WorkerSettings }) =>
  serveConnection(port, settings),
);

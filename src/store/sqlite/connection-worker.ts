/**
 * The thread that holds one SQLite connection.
 *
 * A commit waits for the disk and a search may read a lot. Both happen here, so that neither delays the timers and
 * sockets of the main thread. Statements are executed and answered in the order of their arrival. Transaction scripts
 * wait while a transaction is open whose statements come one by one; those that wait run together.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { carryOut, faultOf } from './carry-out.ts';
import { Connection } from './connection.ts';
import type { Answer, Ask, Call, WorkerSettings } from './protocol.ts';

const settings = workerData as WorkerSettings;
const connection = new Connection(settings);

const asks: (Ask | 'close')[] = [];
let calls: Call[] = [];
let isWorking = false;

function sort(message: Ask | Call | 'close'): void {
  if (message !== 'close' && 'script' in message) calls.push(message);
  else asks.push(message);
}

parentPort?.on('message', (message: Ask | Call | 'close') => {
  sort(message);
  if (!isWorking) void work();
});

async function work(): Promise<void> {
  isWorking = true;
  for (;;) {
    takeWaiting();
    const ask = asks.shift();
    if (ask !== undefined) {
      if (ask === 'close') return close();
      parentPort?.postMessage(answer(ask));
    } else if (calls.length > 0 && !connection.isInTransaction) {
      const batch = calls;
      calls = [];
      connection.waitSince(Math.min(...batch.map(({ askedAtMs }) => askedAtMs)));
      const answers = await carryOut(connection, batch, settings.reports);
      for (const each of answers) parentPort?.postMessage(each);
    } else break;
  }
  isWorking = false;
}

/** Takes all messages that have arrived, without going back to the event loop for each. */
function takeWaiting(): void {
  if (!parentPort) return;
  for (;;) {
    const next = receiveMessageOnPort(parentPort);
    if (next === undefined) return;
    sort(next.message as Ask | Call | 'close');
  }
}

function answer(ask: Ask): Answer {
  try {
    if (!connection.isInTransaction) connection.waitSince(ask.askedAtMs);
    if (ask.begins) connection.begin();
    return { id: ask.id, ...connection.run(ask.sql, ask.parameters) };
  } catch (error) {
    return faultOf(ask.id, error);
  }
}

function close(): void {
  connection.close();
  parentPort?.close();
}

/** Threads that hold one SQLite connection after the other. To start one takes longer than most tests. */
import { EventEmitter } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { ConnectionThread, WorkerSettings } from '#store/sqlite/protocol';

const SCRIPT = new URL('./sqlite-thread.ts', import.meta.url);

/** Small, because a process that starts another one copies the table of all its memory. */
const LIMITS = { maxYoungGenerationSizeMb: 16 };

const idle: Worker[] = [];

/** Gives a thread that nobody uses, or a new one. It counts as ended once its connection is closed. */
export function lendThread(settings: WorkerSettings): ConnectionThread {
  const worker = idle.pop() ?? new Worker(SCRIPT, { resourceLimits: LIMITS });
  worker.ref();
  const { port1: near, port2: far } = new MessageChannel();
  const lent = new EventEmitter();
  const end = () => {
    worker.removeAllListeners();
    lent.emit('exit');
  };
  near.on('message', (message) => lent.emit('message', message));
  near.once('close', () => {
    worker.unref();
    idle.push(worker);
    end();
  });
  worker.once('error', (error) => {
    near.removeAllListeners('close');
    lent.emit('error', error);
    end();
  });
  worker.postMessage({ settings, port: far }, [far]);
  return Object.assign(lent, { postMessage: near.postMessage.bind(near) });
}

/**
 * Loaded into a service by `NODE_OPTIONS=--import`, in each of its threads: a test ends one of them from outside,
 * as a lack of memory or a defect would. SIGUSR2 does it.
 *
 * `KILL_THREAD` is the thread's name; `KILL_BY` says how: `ending` it from outside, or `throwing` inside.
 */
import { BroadcastChannel, isMainThread, threadName, type Worker } from 'node:worker_threads';

const { KILL_THREAD, KILL_BY } = process.env;
const channel = new BroadcastChannel('thread-killer');
channel.unref();

if (isMainThread) {
  process.on('worker', (worker: Worker) => {
    if (worker.threadName !== KILL_THREAD) return;
    process.on('SIGUSR2', () => {
      if (KILL_BY === 'ending') void worker.terminate();
      else channel.postMessage('throw');
    });
  });
} else if (threadName === KILL_THREAD) {
  channel.onmessage = () => {
    throw new Error('thrown by a test');
  };
}

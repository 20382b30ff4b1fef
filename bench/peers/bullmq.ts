/** BullMQ: one worker whose concurrency is the round's; finished jobs are not kept, which is its fastest. */
import { Queue, Worker } from 'bullmq';
import { BODY, type MakeContestant } from '../contestant.ts';
import { makeRequester } from './requests.ts';

const ADD_AT_ONCE = 2_000;

const makeBullmq: MakeContestant = async ({ jobs, targetUrl, concurrency, place }) => {
  const { hostname, port } = new URL(place);
  const connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null };
  const requester = makeRequester(targetUrl, concurrency);
  const name = `bench-${process.pid}`;
  const queue = new Queue(name, { connection });
  let stopWorker = () => Promise.resolve();
  return {
    fill: async () => {
      for (let left = jobs; left > 0; left -= ADD_AT_ONCE) {
        const batch = Array.from({ length: Math.min(left, ADD_AT_ONCE) }, () => ({
          name: 'post',
          data: JSON.parse(BODY) as object,
        }));
        await queue.addBulk(batch);
      }
    },
    deliver: async () => {
      let left = jobs;
      const done = Promise.withResolvers<void>();
      const options = { connection, concurrency, removeOnComplete: { count: 0 } };
      const worker = new Worker(name, () => requester.send(), options);
      stopWorker = () => worker.close();
      worker.on('completed', () => {
        if (--left === 0) done.resolve();
      });
      await done.promise;
    },
    close: async () => {
      await stopWorker();
      await queue.obliterate({ force: true });
      await queue.close();
      await requester.close();
    },
  };
};

export default makeBullmq;

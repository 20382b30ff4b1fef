/** Graphile Worker with its batching options: a local queue, and completions written together. */
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { BODY, type MakeContestant } from '../contestant.ts';
import { makeRequester } from './requests.ts';

const ADD_AT_ONCE = 2_000;
const silent = new Logger(() => () => {});

const makeGraphileWorker: MakeContestant = async ({ jobs, targetUrl, concurrency, place }) => {
  const requester = makeRequester(targetUrl, concurrency);
  const preset = {
    worker: {
      connectionString: place,
      concurrentJobs: concurrency,
      maxPoolSize: 20,
      pollInterval: 2000,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      logger: silent,
    },
  };
  const utils = await makeWorkerUtils({ connectionString: place, logger: silent });
  await utils.migrate();
  let stopRunner = () => Promise.resolve();
  return {
    fill: async () => {
      for (let left = jobs; left > 0; left -= ADD_AT_ONCE) {
        const batch = Array.from({ length: Math.min(left, ADD_AT_ONCE) }, () => ({
          identifier: 'post',
          payload: JSON.parse(BODY) as object,
        }));
        await utils.addJobs(batch);
      }
    },
    deliver: async () => {
      let left = jobs;
      const done = Promise.withResolvers<void>();
      const runner = await run({ preset, taskList: { post: () => requester.send() } });
      stopRunner = () => runner.stop();
      runner.events.on('job:complete', () => {
        if (--left === 0) done.resolve();
      });
      await done.promise;
    },
    close: async () => {
      await stopRunner();
      await utils.release();
      await requester.close();
    },
  };
};

export default makeGraphileWorker;

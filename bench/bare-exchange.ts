/** The limit of Belfry's own HTTP exchange: only the requests, with nothing stored before or after. */
import { buildBenchSender } from './belfry.ts';
import { JOBS, type MakeContestant } from './contestant.ts';

const makeExchangeLoop: MakeContestant = async ({ jobs, targetUrl, concurrency, job }) => {
  const sender = buildBenchSender();
  const { body, headers } = JOBS[job];
  const post = { method: 'POST' as const, url: targetUrl, headers, body: Buffer.from(body) };
  const options = { timeoutSeconds: 30, needs: { searchFor: [], paths: [] } };
  let left = jobs;
  const loop = async () => {
    while (left-- > 0) await sender.send(post, options);
  };
  return {
    fill: () => Promise.resolve(),
    deliver: async () => void (await Promise.all(Array.from({ length: concurrency }, loop))),
    close: () => sender.close(),
  };
};

export default makeExchangeLoop;

/** The limit of the peers' HTTP client on this machine: only the requests, with nothing stored before or after. */
import { Agent, request } from 'undici';
import { JOBS, type MakeContestant } from './contestant.ts';

const makeBareLoop: MakeContestant = async ({ jobs, targetUrl, concurrency, job }) => {
  const agent = new Agent({ connections: concurrency });
  const { body, headers } = JOBS[job];
  const post = { method: 'POST', body, dispatcher: agent, headers: Object.fromEntries(headers) };
  let left = jobs;
  const loop = async () => {
    while (left-- > 0) await (await request(targetUrl, post)).body.dump();
  };
  return {
    fill: () => Promise.resolve(),
    deliver: async () => void (await Promise.all(Array.from({ length: concurrency }, loop))),
    close: () => agent.close(),
  };
};

export default makeBareLoop;

/** The machine's limit: only the requests, with nothing stored before or after. */
import { Agent, request } from 'undici';
import { BODY, type MakeContestant } from './contestant.ts';

const makeBareLoop: MakeContestant = async ({ jobs, targetUrl, concurrency }) => {
  const agent = new Agent({ connections: concurrency });
  const headers = { 'content-type': 'application/json' };
  let left = jobs;
  const loop = async () => {
    while (left-- > 0) {
      const response = await request(targetUrl, {
        method: 'POST',
        body: BODY,
        dispatcher: agent,
        headers,
      });
      await response.body.dump();
    }
  };
  return {
    fill: () => Promise.resolve(),
    deliver: async () => void (await Promise.all(Array.from({ length: concurrency }, loop))),
    close: () => agent.close(),
  };
};

export default makeBareLoop;

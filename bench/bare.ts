/** The limit of the peers' HTTP client on this machine: only the requests, with nothing stored before or after. */
import { Agent, request } from 'undici';
import { JOBS, type MakeContestant, type Round } from './contestant.ts';

/** A contestant that stores nothing. */
export function loopOf(round: Round, send: () => Promise<unknown>, close: () => Promise<void>) {
  let left = round.jobs;
  const loop = async () => {
    while (left-- > 0) await send();
  };
  const loops = () => Array.from({ length: round.concurrency }, loop);
  const deliver = async () => void (await Promise.all(loops()));
  return { fill: () => Promise.resolve(), deliver, close };
}

const makeBareLoop: MakeContestant = async (round) => {
  const agent = new Agent({ connections: round.concurrency });
  const { body, headers } = JOBS[round.job];
  const post = { method: 'POST', body, dispatcher: agent, headers: Object.fromEntries(headers) };
  const send = async () => (await request(round.targetUrl, post)).body.dump();
  return loopOf(round, send, () => agent.close());
};

export default makeBareLoop;

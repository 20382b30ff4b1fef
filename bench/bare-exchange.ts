/** The limit of Belfry's own HTTP exchange: only the requests, with nothing stored before or after. */
import { loopOf } from './bare.ts';
import { buildBenchSender } from './belfry.ts';
import { JOBS, type MakeContestant } from './contestant.ts';

const makeExchangeLoop: MakeContestant = async (round) => {
  const sender = buildBenchSender();
  const { body, headers } = JOBS[round.job];
  const url = round.targetUrl;
  const post = { method: 'POST' as const, url, headers, body: Buffer.from(body) };
  const options = { timeoutSeconds: 30, needs: { searchFor: [], paths: [] } };
  return loopOf(
    round,
    () => sender.send(post, options),
    () => sender.close(),
  );
};

export default makeExchangeLoop;

/** The delivery that every peer's worker makes: the same as the bare loop's. */
import { Agent, request } from 'undici';
import { BODY } from '../contestant.ts';

export function makeRequester(url: string, connections: number) {
  const agent = new Agent({ connections });
  const headers = { 'content-type': 'application/json' };
  return {
    send: async () => {
      const { body } = await request(url, {
        method: 'POST',
        body: BODY,
        dispatcher: agent,
        headers,
      });
      await body.dump();
    },
    close: () => agent.close(),
  };
}

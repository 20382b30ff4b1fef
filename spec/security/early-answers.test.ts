import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { describe, test } from 'node:test';
import { before, useStarted } from '#testing/hooks';
import { startBelfry } from '#testing/process';

/** A request is refused while its body is still being sent: the client must receive the answer (§4.5). */

const MIB = 1024 * 1024;
/** Each combination of size and framing, for one request to the API and one to the dashboard. */
const TRIES = 4;
const belfry = useStarted(() => startBelfry({ env: { TRUSTED_PROXIES: '1' } }));
let origin: string;

before(() => {
  origin = `http://localhost:${new URL(belfry.url).port}`;
});

interface Call {
  path: string;
  type?: string;
  headers?: Record<string, string>;
}

let senders = 0;

/** Gives the status of the answer, or the code of the fault that the client saw instead. */
async function send(
  { path, type = 'application/json', headers = {} }: Call,
  { bytes, agent, isChunked }: { bytes: number; agent: http.Agent | false; isChunked: boolean },
): Promise<string> {
  const request = http.request(belfry.url + path, {
    method: 'POST',
    agent,
    headers: {
      'Content-Type': type,
      'X-Forwarded-For': `198.51.100.${++senders % 250}`,
      ...(isChunked ? {} : { 'Content-Length': bytes }),
      ...headers,
    },
  });
  const answered = (async () => {
    const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return String(answer.statusCode);
  })();
  const outcome = answered.catch((fault: unknown) => (fault as NodeJS.ErrnoException).code ?? '');
  const chunk = Buffer.alloc(64 * 1024, ' ');
  let left = bytes;
  const write = () => {
    while (left > 0 && !request.destroyed) {
      left -= chunk.length;
      if (!request.write(chunk)) return void request.once('drain', write);
    }
    request.end();
  };
  request.on('error', () => {});
  write();
  return outcome;
}

const form = 'application/x-www-form-urlencoded';
const REFUSED: [request: string, status: string, call: Call][] = [
  ['a call of the API with too large a body', '413', { path: '/api/jobs' }],
  ['a form of another origin', '403', { path: '/login', type: form }],
  ['a large form of a sign-in', '413', { path: '/login', type: form, headers: { Origin: '' } }],
];

describe('early error responses', () => {
  for (const [request, status, call] of REFUSED) {
    test(`the client gets ${status} for ${request}`, async () => {
      const own = call.headers?.['Origin'] === '' ? { ...call, headers: { Origin: origin } } : call;
      const kept = new http.Agent({ keepAlive: true });
      const seen: string[] = [];
      for (let n = 0; n < TRIES; n++) {
        for (const agent of [kept, false] as const) {
          const bytes = [2, 5][n % 2]! * MIB;
          seen.push(await send(own, { bytes, agent, isChunked: n % 4 > 1 }));
        }
      }
      kept.destroy();
      assert.deepEqual([...new Set(seen)], [status]);
    });
  }
});

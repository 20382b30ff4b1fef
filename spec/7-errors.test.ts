/** §7: what the API answers when something is wrong, and in which order it looks; §7.1, §1.2, §4.6, §5.4, §8.1. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leavingNothing } from '#testing/api-calls';
import { type Call, callHttp } from '#testing/client';
import { aCron, aJob } from '#testing/api-server';
import { before } from '#testing/hooks';
import { type TestService, useService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';
import { aUser } from '#testing/users';

const GOOD = { '/api/crons': aCron, '/api/jobs': aJob };
const PATHS = ['/api/crons', '/api/jobs'] as const;
const TOO_LARGE = 'x'.repeat(1024 * 1024 + 1);

type Headers = Record<string, string>;

const JSON_IN: Headers = { 'Content-Type': 'application/json' };
const JSON_OUT: Headers = { Accept: 'application/json' };

describe('error responses', () => {
  const service = useService(openSqliteTestStore, {
    sends: false,
    env: { API_RATE_LIMIT: '10', TRUSTED_PROXIES: '1' },
  });
  let teamless: string;
  before(async () => {
    teamless = await makeTeamless(service);
  });

  let clients = 0;
  /** A client that nobody has seen yet, so that its window is its own. */
  const newClient = (): Headers => ({
    'X-Forwarded-For': `10.${Math.floor(++clients / 250)}.0.${clients % 250}`,
  });
  const authorized = (token = service.token): Headers => ({ Authorization: `Bearer ${token}` });
  const call = (path: string, { headers, ...rest }: Call) =>
    callHttp(`${service.url}${path}`, {
      ...rest,
      headers: { ...JSON_IN, ...newClient(), ...headers },
    });
  /** Every answer that a call can get, by its status. */
  const CALLS: Record<number, (path: (typeof PATHS)[number]) => Call> = {
    201: (path) => ({ headers: authorized(), body: JSON.stringify(GOOD[path]) }),
    302: () => ({ headers: authorized(), body: '{}' }),
    401: (path) => ({ body: JSON.stringify(GOOD[path]) }),
    413: () => ({ headers: authorized(), body: TOO_LARGE }),
    422: () => ({ headers: { ...JSON_OUT, ...authorized() }, body: '{}' }),
    500: (path) => ({ headers: authorized(teamless), body: JSON.stringify(GOOD[path]) }),
  };
  const useUp = async (client: Headers) => {
    for (let n = 0; n < 10; n++) await call('/api/jobs', { headers: client, body: '{}' });
  };

  describe('302 for a rejected body without Accept: application/json', () => {
    const expectRedirect = async (headers: Headers) => {
      for (const path of PATHS) {
        const answer = await leavingNothing(service, () =>
          call(path, { headers: { ...authorized(), ...headers }, body: '{"delay":-1}' }),
        );
        assert.equal(answer.status, 302, JSON.stringify(headers));
        assert.equal(answer.headers.get('location'), `${service.url}/`, 'to the start page (§4.6)');
        assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
        assert.match(answer.text, /<html/i);
        assert.doesNotMatch(answer.text, /required|queue|delay|error/i, 'no details');
      }
    };

    test('a rejected body gets 302 if no JSON type is accepted', async () => {
      await expectRedirect({});
      const accepts = ['text/html', '*/*', ',', 'application/*', 'application/json;q=0'];
      for (const accept of [
        ...accepts,
        'application/json; q=0.000, text/html',
        'application/xml;profile=application/json',
        'application/json+xml;q=0, application/x+jsonp',
      ])
        await expectRedirect({ Accept: accept });
    });

    test('X-Requested-With or a Content-Type does not turn a 302 into JSON', async () => {
      const script = { 'X-Requested-With': 'XMLHttpRequest' };
      await expectRedirect(script);
      await expectRedirect({ ...script, Accept: 'text/html' });
      await expectRedirect({ ...script, Accept: '*/*;q=0' });
      await expectRedirect({ 'X-Requested-With': 'other', Accept: '*/*' });
    });
  });

  describe('422 for a rejected body with Accept: application/json', () => {
    test('a rejected body gets 422 if any JSON type is accepted, or a script accepts all (§4.6)', async () => {
      for (const headers of [
        { Accept: 'APPLICATION/JSON' },
        { Accept: 'text/html;q=0.5, application/json;q=0.9' },
        { Accept: 'text/html;q=0, application/json; q=0.001' },
        { Accept: 'application/json;q=nonsense, text/html;q=0.9' },
        { Accept: 'application/vnd.api+json' },
        { Accept: 'text/json' },
        { Accept: 'application/json; charset=utf-8' },
        { Accept: 'text/plain, */*;q=0.1', 'X-Requested-With': 'xmlhttprequest' },
      ]) {
        const answer = await leavingNothing(service, () =>
          call('/api/jobs', { headers: { ...authorized(), ...headers }, body: '{}' }),
        );
        assert.equal(answer.status, 422, JSON.stringify(headers));
        assert.equal(answer.headers.get('content-type'), 'application/json');
        assert.equal(
          answer.text,
          '{"message":"A queue name is required. (and 1 more error)","errors":' +
            '{"queue":["A queue name is required."],"url":["A target URL is required."]}}',
        );
      }
    });
  });

  describe('the order of checks', () => {
    test('the rate limit is checked before size, body, token and team', async () => {
      for (const path of PATHS) {
        const client = newClient();
        await useUp(client);
        for (const status of [201, 302, 401, 413, 422, 500]) {
          const { headers, ...rest } = CALLS[status]?.(path) ?? {};
          const answer = await leavingNothing(service, () =>
            call(path, { ...rest, headers: { ...headers, ...client } }),
          );
          assert.equal(answer.status, 429, `in place of ${status}`);
        }
      }
    });

    test('the size is checked before body and token', async () => {
      const { status } = await call('/api/jobs', { headers: JSON_OUT, body: TOO_LARGE });
      assert.equal(status, 413);
    });

    test('the body is checked before token and team', async () => {
      for (const token of ['', 'bad', teamless]) {
        const headers = { ...JSON_OUT, ...authorized(token) };
        assert.equal((await call('/api/crons', { headers, body: '{}' })).status, 422);
      }
    });

    test('the token is checked before the team', async () => {
      const body = JSON.stringify(aJob);
      const headers = authorized(`${teamless}x`);
      assert.equal((await call('/api/jobs', { headers, body })).status, 401);
      assert.equal((await call('/api/jobs', { headers: authorized(teamless), body })).status, 500);
    });
  });

  describe('the rate headers (§8.1)', () => {
    for (const status of Object.keys(CALLS).map(Number)) {
      test(`a ${status} has X-RateLimit-Limit and X-RateLimit-Remaining, and it counts`, async () => {
        for (const path of PATHS) {
          const client = newClient();
          for (const remaining of ['9', '8']) {
            const { headers, ...rest } = CALLS[status]?.(path) ?? {};
            const answer = await call(path, { ...rest, headers: { ...headers, ...client } });
            assert.equal(answer.status, status);
            assert.equal(answer.headers.get('x-ratelimit-limit'), '10');
            assert.equal(answer.headers.get('x-ratelimit-remaining'), remaining);
            for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining']) {
              assert.ok(answer.headerNames.includes(name), `${name}, in this spelling`);
            }
            assert.equal(answer.headers.get('retry-after'), null);
            assert.equal(answer.headers.get('x-ratelimit-reset'), null);
          }
        }
      });
    }

    test('a 429 also has Retry-After in seconds and X-RateLimit-Reset in Unix seconds', async () => {
      for (const path of PATHS) {
        const client = newClient();
        const openedAt = service.clock.now();
        await useUp(client);
        await service.clock.advance(10_500);
        const answer = await call(path, { headers: client, body: JSON.stringify(GOOD[path]) });
        assert.equal(answer.status, 429);
        assert.equal(answer.text, '{"message":"Too Many Attempts."}');
        assert.equal(answer.headers.get('x-ratelimit-limit'), '10');
        assert.equal(answer.headers.get('x-ratelimit-remaining'), '0');
        assert.equal(answer.headers.get('retry-after'), '50', 'never too early');
        const reset = Math.ceil((openedAt + 60_000) / 1000);
        assert.equal(answer.headers.get('x-ratelimit-reset'), String(reset));
        for (const name of ['Retry-After', 'X-RateLimit-Reset']) {
          assert.ok(answer.headerNames.includes(name), `${name}, in this spelling`);
        }
      }
    });

    test('405 and 404 do not count and have no rate headers', async () => {
      const client = newClient();
      for (const [method, path] of [
        ['GET', '/api/jobs'],
        ['POST', '/api/other'],
      ] as const) {
        const { headers } = await call(path, { method, headers: client });
        assert.equal(headers.get('x-ratelimit-limit'), null);
      }
      const { headers } = await call('/api/jobs', { headers: client, body: '{}' });
      assert.equal(headers.get('x-ratelimit-remaining'), '9');
    });
  });
});

describe('error messages, byte for byte', () => {
  const service = useService(openSqliteTestStore, { sends: false });

  test('an error response repeats no input and no internals', async () => {
    const secret = 's3cr3t-in-a-value';
    const { text } = await service.post('/api/jobs', {
      queue: [secret],
      url: secret,
      method: secret,
      headers: { 'X-A': `${secret}\n` },
      payload: secret,
      delay: secret,
    });
    assert.doesNotMatch(text, /s3cr3t|node_modules|\.ts|at /);
  });
});

/** The token of a user whose team was deleted. */
async function makeTeamless(service: TestService): Promise<string> {
  const { apiToken, teamId } = await aUser(service, 'teamless@example.com');
  await service.store.members.deleteTeam(teamId, service.clock.now());
  return apiToken;
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiServer } from '#testing/api-server';

const get = (api: ApiServer, path: string) => api.send({ method: 'GET', path });

describe('the service pages', () => {
  test('/healthz is 200 while the process lives, ready or not', async () => {
    await using api = await ApiServer.start();
    api.isReady = () => Promise.resolve(false);
    assert.equal((await get(api, '/healthz')).status, 200);
  });

  test('/readyz is 200 once the database can be reached, else 503', async () => {
    await using api = await ApiServer.start();
    assert.equal((await get(api, '/readyz')).status, 200);
    api.isReady = () => Promise.resolve(false);
    assert.equal((await get(api, '/readyz')).status, 503);
    api.isReady = () => Promise.reject(new Error('away'));
    assert.equal((await get(api, '/readyz')).status, 503);
  });

  test('service pages need no token and do not count towards the rate limit', async () => {
    await using api = await ApiServer.start();
    for (let n = 0; n < 70; n++) assert.equal((await get(api, '/healthz')).status, 200);
    assert.equal((await api.send({})).headers.get('x-ratelimit-remaining'), '59');
  });

  test('/openapi.json is the document, with the public address', async () => {
    await using api = await ApiServer.start({ baseUrl: 'https://belfry.example/' });
    const answer = await get(api, '/openapi.json');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    const document = JSON.parse(answer.text) as { openapi: string; servers: unknown };
    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(document.servers, [{ url: 'https://belfry.example' }]);
  });
});

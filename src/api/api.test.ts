import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiServer, aCron, aJob } from '#testing/api-server';

describe('faults behind the API', () => {
  test('calls that a database refuses are counted in one short line every ten seconds', async () => {
    await using api = await ApiServer.start();
    api.fault = Object.assign(new Error('database or disk is full'), { code: 'STORE_UNAVAILABLE' });
    for (let n = 0; n < 20; n++) {
      const { status, text, headers } = await api.post('/api/jobs', aJob);
      assert.deepEqual([status, text], [503, '{"message":"Service Unavailable"}']);
      assert.equal(headers.get('retry-after'), '5');
    }
    const line = (refused: number) => ({
      event: 'api.unavailable',
      fields: { refused, error: 'database or disk is full' },
    });
    assert.deepEqual(api.logged, [line(1)]);
    await api.clock.advance(10_000);
    assert.deepEqual(api.logged, [line(1), line(19)]);
    await api.clock.advance(60_000);
    assert.equal(api.logged.length, 2, 'nothing is said of nothing');
    await api.post('/api/jobs', aJob);
    assert.deepEqual(api.logged.at(-1), line(1));
  });

  test('any other fault gives a 500 without details and is logged without the body', async () => {
    await using api = await ApiServer.start();
    api.fault = new Error('secret detail');
    const answer = await api.post('/api/crons?token=t', { ...aCron, payload: 'private' });
    assert.equal(answer.status, 500);
    assert.equal(answer.text, '{"message":"Server Error"}');
    assert.deepEqual(api.logged, [
      { event: 'api.failed', fields: { path: '/api/crons', error: api.fault } },
    ]);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from './receiver.ts';

test('the receiver records requests byte for byte', async () => {
  await using receiver = await startReceiver();
  const before = Date.now() - 1;
  await fetch(`${receiver.url}/bell?a=1`, {
    method: 'POST',
    headers: { 'X-Bell': 'ding' },
    body: 'körper',
  });
  const request = await receiver.next();
  assert.equal(request.method, 'POST');
  assert.equal(request.url, '/bell?a=1');
  assert.equal(request.headers['x-bell'], 'ding');
  assert.ok(
    request.rawHeaders.includes('content-type') || request.rawHeaders.includes('Content-Type'),
  );
  assert.deepEqual(request.body, Buffer.from('körper'));
  assert.ok(request.receivedAt > before && request.receivedAt < Date.now() + 1);
});

test('the receiver answers by path, from lists or functions', async () => {
  await using receiver = await startReceiver({ answer: { status: 404 } });
  receiver.answer('/list', [{ status: 500 }, { status: 503 }, { status: 200, body: 'at last' }]);
  receiver.answer('/echo', ({ body }, count) => ({ headers: { 'x-count': String(count) }, body }));
  const list = async () => (await fetch(`${receiver.url}/list?q`)).status;
  assert.deepEqual([await list(), await list(), await list(), await list()], [500, 503, 200, 200]);
  const echo = await fetch(`${receiver.url}/echo`, { method: 'POST', body: 'ping' });
  assert.equal(await echo.text(), 'ping');
  assert.equal(echo.headers.get('x-count'), '0');
  assert.equal((await fetch(`${receiver.url}/other`)).status, 404);
});

test('an answer can wait, never come, or break the connection', async () => {
  await using receiver = await startReceiver();
  const { promise, resolve } = Promise.withResolvers<void>();
  receiver.answer('/later', { after: promise, body: 'now' });
  receiver.answer('/never', 'never');
  receiver.answer('/reset', 'reset');
  const later = fetch(`${receiver.url}/later`);
  await receiver.next(({ url }) => url === '/later');
  resolve();
  assert.equal(await (await later).text(), 'now');
  await assert.rejects(fetch(`${receiver.url}/reset`));
  const never = assert.rejects(fetch(`${receiver.url}/never`));
  await receiver.next(({ url }) => url === '/never');
  await receiver.close();
  await never;
});

test('next gives each request once and waits for the one wanted', async () => {
  await using receiver = await startReceiver();
  const second = receiver.next(({ url }) => url === '/2');
  await fetch(`${receiver.url}/1`);
  await fetch(`${receiver.url}/2`);
  assert.equal((await second).url, '/2');
  assert.equal((await receiver.next()).url, '/1');
  await assert.rejects(
    receiver.next(undefined, { withinMs: 20 }),
    /2 arrived, last: GET \/1 · GET \/2/,
  );
});

test('waitFor reports the received requests when its time is up', async () => {
  await using receiver = await startReceiver();
  await fetch(`${receiver.url}/only`);
  await assert.rejects(receiver.waitFor(2, { withinMs: 30 }), {
    message: 'Waited 30 ms for 2 requests; 1 arrived, last: GET /only',
  });
  const both = receiver.waitFor(2);
  await fetch(`${receiver.url}/second`);
  assert.deepEqual(
    (await both).map(({ url }) => url),
    ['/only', '/second'],
  );
});

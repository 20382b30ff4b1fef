import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { originsOfOurPages, readBoundedBody } from './form-guards.ts';

const ours = 'https://belfry.example.com';

describe('which origins our own pages have', () => {
  test('forms are accepted only from the origin of the public address', () => {
    assert.deepEqual(originsOfOurPages(ours), [ours]);
    assert.deepEqual(originsOfOurPages('http://127.0.0.1:3000'), ['http://127.0.0.1:3000']);
    assert.deepEqual(originsOfOurPages('https://localhost:3000'), ['https://localhost:3000']);
    const lookalike = 'http://localhost.evil.example:3000';
    assert.deepEqual(originsOfOurPages(lookalike), [lookalike]);
  });
  test('on loopback forms are also accepted from the address printed at the start', () => {
    assert.deepEqual(originsOfOurPages('http://localhost:3000'), [
      'http://localhost:3000',
      'http://127.0.0.1:3000',
    ]);
  });
});

describe('reading the body of a form', () => {
  const limits = { maxBytes: 10, maxMs: 5_000 };
  const send = (body: RequestInit['body']) =>
    new Request('http://localhost/', {
      method: 'POST',
      body: body ?? null,
      duplex: 'half',
    } as RequestInit);

  test('an endless body is left at the limit', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 4;
        controller.enqueue(new Uint8Array(4));
      },
    });
    assert.deepEqual(await readBoundedBody(send(endless), limits), { kind: 'too-large' });
    assert.ok(sent <= 24, `${sent} bytes were taken`);
  });
  test('a stated length over the limit is refused before anything is read', async () => {
    const request = new Request('http://localhost/', {
      method: 'POST',
      body: 'x',
      headers: { 'Content-Length': '11' },
    });
    assert.deepEqual(await readBoundedBody(request, limits), { kind: 'too-large' });
  });
  test('a sender who stalls is left when time is up', async () => {
    const stalled = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    assert.deepEqual(await readBoundedBody(send(stalled), { maxBytes: 10, maxMs: 20 }), {
      kind: 'too-slow',
    });
  });
});

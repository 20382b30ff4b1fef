import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import * as fc from 'fast-check';
import { anyText } from '#testing/any-text';
import type { HeaderList } from '#domain/exchange';
import { hostOfUrl } from '#domain/network';
import { startRawReceiver } from '#testing/raw-receiver';
import { openSender, saysOf } from '#testing/sender';

/** Pieces of responses, valid and invalid, that a target may send in any order. */
const PIECES = [
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.0 204 \r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 101 Up\r\n',
  'HTTP/1.1 099 Low\r\n',
  'HTTP/1.1 600 High\r\n',
  'HTTP/2 200\r\n',
  'HTTP/1.1 2',
  'Content-Length: 5\r\n',
  'Content-Length: -1\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip\r\n',
  'Content-Encoding: gzip\r\n',
  'Content-Encoding: br\r\n',
  'Content-Encoding: deflate\r\n',
  'Connection: close\r\n',
  'Connection: upgrade\r\nUpgrade: h2c\r\n',
  'Keep-Alive: timeout=0\r\n',
  'Keep-Alive: timeout=99999999999\r\n',
  '__proto__: x\r\n',
  'A\0: b\r\n',
  ': v\r\n',
  ' folded\r\n',
  '\r\n',
  '\r\n\r\n',
  '5\r\nhello\r\n',
  '0\r\n\r\n',
  'ffffffffffffffff\r\n',
  'hello',
  '\0\xff\xfe',
  'x'.repeat(70_000),
];

/** A response, and after how many of its pieces the connection is reset; null for an orderly end. */
const answers = fc.record({
  pieces: fc.array(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc.constantFrom(...PIECES).map((text) => Buffer.from(text, 'latin1')),
      },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
      { weight: 1, arbitrary: fc.constant(zlib.gzipSync('hello')) },
    ),
    { maxLength: 10 },
  ),
  isReset: fc.boolean(),
  isSplit: fc.boolean(),
});

test('any response ends its own exchange only', async () => {
  const script: { answer: Buffer[]; isReset: boolean; isSplit: boolean } = {
    answer: [],
    isReset: false,
    isSplit: false,
  };
  await using receiver = await startRawReceiver(async (connection) => {
    const { answer, isReset, isSplit } = script;
    await connection.until();
    if (isSplit) for (const piece of answer) await connection.send(piece);
    else await connection.send(Buffer.concat(answer));
    if (isReset) connection.reset();
    else connection.end();
  });
  await using sender = openSender();
  const needs = { searchFor: ['lo'], paths: [['a']] };
  await fc.assert(
    fc.asyncProperty(answers, async ({ pieces, isReset, isSplit }) => {
      Object.assign(script, { answer: pieces, isReset, isSplit });
      const exchange = await sender.get(receiver.url, { needs });
      assert.ok(exchange.kind === 'answered' || exchange.kind === 'broken', exchange.kind);
      if (exchange.kind === 'broken') assert.match(saysOf(exchange), /^[A-Za-z][\w .-]+$/);
    }),
    { numRuns: 1_500 },
  );
  Object.assign(script, {
    answer: [Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
    isReset: false,
  });
  // The last odd response may have left a connection that is just being closed, so the request is tried twice.
  const kinds = [(await sender.get(receiver.url)).kind, (await sender.get(receiver.url)).kind];
  assert.ok(kinds.includes('answered'));
});

test('any URL and headers end their own exchange only', async () => {
  await using receiver = await startRawReceiver(
    'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
  );
  await using sender = openSender();
  const text = anyText({ maxLength: 20 });
  const headers: fc.Arbitrary<HeaderList> = fc.array(
    fc.tuple(fc.oneof(fc.constantFrom('Host', 'host', 'Expect', 'TE', 'A'), text), text),
    { maxLength: 4 },
  );
  // Names do not resolve here, but a random text that is an address would be dialled.
  const url = fc
    .oneof(
      text,
      text.map((path) => `${receiver.url}/${path}`),
      text.map((host) => `http://${host}/`),
    )
    .filter((address) => address.startsWith(receiver.url) || hostOfUrl(address)?.kind !== 'ipv4');
  await fc.assert(
    fc.asyncProperty(url, headers, fc.option(fc.uint8Array()), async (address, headers, body) => {
      const exchange = await sender.get(address, {
        method: 'POST',
        headers,
        timeoutSeconds: 5,
        ...(body === null ? {} : { body }),
      });
      assert.equal(typeof exchange.kind, 'string');
    }),
    { numRuns: 1_000 },
  );
  assert.equal((await sender.get(receiver.url)).kind, 'answered');
});

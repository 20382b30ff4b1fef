import assert from 'node:assert/strict';
import http from 'node:http';
import { Duplex } from 'node:stream';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { mutatedResponse, validResponse } from '#testing/any-response';
import { parseResponse } from '#testing/parse-response';

/** Compares the parser with Node's HTTP client, which reads responses with llhttp. */

interface Received {
  status: number;
  /** Names and values by turns. */
  headers: readonly string[];
  body: string;
}

/** A connection whose other side takes everything, answers these bytes and ends. */
function connectionTo(text: string): Duplex {
  let isAsked = false;
  const answer = (connection: Duplex) => {
    connection.push(Buffer.from(text, 'latin1'));
    connection.push(null);
  };
  const connection = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      if (!isAsked) setImmediate(answer, this);
      isAsked = true;
      done();
    },
  });
  connection.on('error', () => {});
  const ignore = () => {};
  return Object.assign(connection, { ref: ignore, unref: ignore, setNoDelay: ignore });
}

/** What Node's client receives; null if it reports a fault. */
function receiveByNode(text: string): Promise<Received | null> {
  return new Promise((resolve) => {
    const createConnection = () => connectionTo(text);
    const request = http.request({ createConnection, maxHeaderSize: 65_536 });
    request.on('error', () => resolve(null));
    request.on('upgrade', () => resolve(null));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve(null));
      response.on('end', () => {
        if (!response.complete) return;
        const body = Buffer.concat(chunks).toString('latin1');
        resolve({ status: Number(response.statusCode), headers: response.rawHeaders, body });
      });
      response.on('close', () => resolve(null));
    });
    request.end();
  });
}

function receiveByParser(text: string): Received | null {
  const { outcome, status, headers, body } = parseResponse([text], true);
  return outcome === 'end' && status !== null ? { status, headers: headers.flat(), body } : null;
}

/** Why llhttp rejects responses that RFC 9112 lets a client accept. */
const STRICTER: readonly [rule: string, applies: (text: string) => boolean][] = [
  [
    'nothing may follow the response',
    (text) => parseResponse([text.slice(0, -1)], true).outcome === 'end',
  ],
  ['no folded values (obs-fold, 5.2)', (text) => /\r\n[ \t]/.test(text)],
  ['no minor version that is not known (2.3)', (text) => /HTTP\/1\.[2-9]/.test(text)],
  [
    'no length beside a transfer coding (6.3)',
    (text) => isNamed(text, LENGTH) && isNamed(text, CODING),
  ],
  ['no empty transfer coding', (text) => /transfer-encoding:[ \t]*\r\n/i.test(text)],
  ['no white space before a chunk extension (7.1.1)', (text) => /[\da-f][ \t]+;/i.test(text)],
  ['no chunk extension without a name', (text) => /[\da-f];/i.test(text)],
  [
    'the version, length, coding and connection of informational responses are read',
    (text) =>
      /HTTP\/1\.0 1|HTTP\/1\.\d 1[\s\S]*\r\n(?:content-length|transfer-encoding|connection):/i.test(
        text,
      ),
  ],
];

/** Why llhttp accepts responses that RFC 9112 does not allow. */
const LAXER: readonly [rule: string, applies: (text: string) => boolean][] = [
  ['empty lines before a response', (text) => /(?:^|\r\n\r\n)[\r\n]+HTTP/.test(text)],
  [
    'control characters in a reason',
    (text) => /HTTP\/1\.\d \d{3} [^\r\n]*[^\t\x20-\x7e\x80-\xff\r\n]/.test(text),
  ],
  ['lengths beyond 2⁵³ − 1', (text) => /content-length:[ \t]*0*[\d]{16,}/i.test(text)],
  ['other major versions', (text) => /HTTP\/[02]\.\d/.test(text)],
  ['101 without an upgrade', (text) => /HTTP\/1\.\d 101/.test(text)],
];

const LENGTH = 'content-length';
const CODING = 'transfer-encoding';

function isNamed(text: string, name: string): boolean {
  return text.toLowerCase().includes(`\r\n${name}:`);
}

/** llhttp reads `chunked` with a tab or comma behind it as an unknown coding. */
function hasOddCoding(text: string): boolean {
  return /chunked *[\t,]/i.test(text);
}

/** llhttp leaves the white space behind a value. */
function trim({ status, headers, body }: Received): Received {
  return { status, headers: headers.map((part) => part.replace(/[ \t]+$/, '')), body };
}

const RUNS = process.env['BELFRY_FULL'] === '1' ? 300_000 : 1_000;

describe('comparison with another client', () => {
  test("a valid response is received like Node's client does", async () => {
    await fc.assert(
      fc.asyncProperty(validResponse, async (text) => {
        fc.pre(!hasOddCoding(text));
        const [ours, theirs] = [receiveByParser(text), await receiveByNode(text)];
        assert.ok(ours !== null && theirs !== null);
        assert.deepEqual(ours, trim(theirs));
      }),
      { numRuns: RUNS },
    );
  });

  test("a mutated response is received like Node's client, or a listed rule explains the difference", async () => {
    await fc.assert(
      fc.asyncProperty(mutatedResponse, async (text) => {
        fc.pre(!hasOddCoding(text));
        const [ours, theirs] = [receiveByParser(text), await receiveByNode(text)];
        if (ours !== null && theirs !== null) return assert.deepEqual(ours, trim(theirs));
        if (ours === null && theirs === null) return;
        const rules = ours === null ? LAXER : STRICTER;
        assert.ok(
          rules.some(([, applies]) => applies(text)),
          ours === null ? 'only Node accepts it' : 'only Node rejects it',
        );
      }),
      { numRuns: RUNS },
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import v8 from 'node:v8';
import vm from 'node:vm';
import * as fc from 'fast-check';
import { mutatedResponse, responseAtLimit, validResponse } from '#testing/any-response';
import { parseResponse, type ParsedResponse } from '#testing/parse-response';
import { ResponseParser } from './response-parser.ts';

const isFull = process.env['BELFRY_FULL'] === '1';
const FUZZ_SECONDS = Number(process.env['FUZZ_SECONDS'] ?? (isFull ? 600 : 0));
const FUZZ_SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const RUNS_AT_ONCE = 300;

function cut(text: string, places: readonly number[]): string[] {
  const sorted = places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b);
  return [0, ...sorted].map((place, at) => text.slice(place, sorted[at] ?? text.length));
}

/** Asserts that a response parses the same at every split. */
function assertParses(text: string): void {
  for (const isClosed of [false, true]) {
    const expected = parseResponse([text], isClosed);
    assert.deepEqual(parseResponse(text.split(''), isClosed), expected, JSON.stringify(text));
    for (let at = 1; at < text.length; at++) {
      const pieces = [text.slice(0, at), text.slice(at)];
      assert.deepEqual(parseResponse(pieces, isClosed), expected, JSON.stringify(pieces));
    }
  }
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

describe('a response', () => {
  const whole = { outcome: 'end', status: 200, idleSeconds: null, isReusable: true } as const;
  const rows: [name: string, text: string, expected: Partial<ParsedResponse>][] = [
    ['has a body of the announced length', `${OK}Content-Length: 2\r\n\r\nok`, { body: 'ok' }],
    ['may have no body', `${OK}Content-Length: 0\r\n\r\n`, { body: '' }],
    ['may write its length with zeros', `${OK}Content-Length: 002\r\n\r\nok`, { body: 'ok' }],
    ['may lack a reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', {}],
    ['may have the next minor version', 'HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n', {}],
    ['of status 204 has no body', 'HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n', { status: 204 }],
    ['of status 304 has no body', 'HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n', { status: 304 }],
    ['comes in chunks', `${CHUNKED}2\r\nok\r\n3\r\nbye\r\n0\r\n\r\n`, { body: 'okbye' }],
    [
      'of status 205 may have a body',
      'HTTP/1.1 205 Reset\r\nContent-Length: 2\r\n\r\nok',
      { status: 205, body: 'ok' },
    ],
    [
      'may have a chunk of 256 bytes',
      `${CHUNKED}100\r\n${'x'.repeat(256)}\r\n0\r\n\r\n`,
      { body: 'x'.repeat(256) },
    ],
    [
      'may have chunk extensions and trailers',
      `${CHUNKED}2;a="b"\r\nok\r\n00 ;x\r\nA: b\r\nC: d\r\n\r\n`,
      { body: 'ok' },
    ],
    [
      'may follow informational responses',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nContent-Length: 9\r\n\r\n${OK}Content-Length: 0\r\n\r\n`,
      {},
    ],
    [
      'has headers as received, a folded one in one line',
      `${OK}X-a:  b \t\r\nx-A:c\r\n d\r\n\t e \r\nContent-Length: 0\r\n\r\n`,
      {
        headers: [
          ['X-a', 'b'],
          ['x-A', 'c d e'],
          ['Content-Length', '0'],
        ],
      },
    ],
  ];
  for (const [name, text, expected] of rows) {
    test(name, () => {
      const { headers, ...parsed } = parseResponse([text], false);
      const { headers: expectedHeaders, ...others } = expected;
      assert.deepEqual(parsed, { ...whole, body: '', ...others });
      if (expectedHeaders !== undefined) assert.deepEqual(headers, expectedHeaders);
      assertParses(text);
    });
  }

  test('a body without a length ends with the connection', () => {
    const codings = ['gzip', 'chunked, gzip'].map((coding) => `Transfer-Encoding: ${coding}\r\n`);
    for (const text of ['', ...codings].map((field) => `${OK}${field}\r\nok`)) {
      assert.equal(parseResponse([text], false).outcome, 'more');
      const { outcome, body, isReusable } = parseResponse([text], true);
      assert.deepEqual([outcome, body, isReusable], ['end', 'ok', false]);
      assertParses(text);
    }
  });
});

describe('a connection is used again', () => {
  const EMPTY = 'Content-Length: 0\r\n\r\n';
  const OLD = 'HTTP/1.0 200 OK\r\n';
  const LAST = 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
  const rows: [name: string, text: string, isReusable: boolean][] = [
    ['by default in HTTP/1.1', `${OK}${EMPTY}`, true],
    ['not with close', `${OK}Connection: x, Close\r\n${EMPTY}`, false],
    ['not by default in HTTP/1.0', `${OLD}${EMPTY}`, false],
    ['with keep-alive in HTTP/1.0', `${OLD}Connection: Keep-Alive\r\n${EMPTY}`, true],
    ['not with bytes behind the response', `${OK}${EMPTY}x`, false],
    ['not with bytes behind the last chunk', `${OK}${LAST}\r\n`, false],
    ['not with a length beside a transfer coding', `${OK}Content-Length: 9\r\n${LAST}`, false],
    ['not with a coding in HTTP/1.0', `${OLD}Connection: keep-alive\r\n${LAST}`, false],
  ];
  for (const [name, text, expected] of rows) {
    test(name, () => {
      const { outcome, isReusable } = parseResponse([text], false);
      assert.deepEqual([outcome, isReusable], ['end', expected]);
      assertParses(text);
    });
  }

  test('a connection is reusable for the time in Keep-Alive', () => {
    for (const [hint, seconds] of [
      ['timeout=5', 5],
      ['max=3, Timeout=7', 7],
      ['max=3', null],
      ['xtimeout=1', null],
    ] as const) {
      const { idleSeconds } = parseResponse([`${OK}Keep-Alive: ${hint}\r\n${EMPTY}`], false);
      assert.equal(idleSeconds, seconds, hint);
    }
  });
});

describe('a fault', () => {
  const rows: [fault: ParsedResponse['outcome'], name: string, text: string][] = [
    ['not-http', 'another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['not-http', 'HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
    ['not-http', 'a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['not-http', 'a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['not-http', 'a line end without CR', 'HTTP/1.1 200 OK\nContent-Length: 0'],
    ['not-http', 'an empty line first', `\r\n${OK}\r\n`],
    ['not-http', 'NUL in a reason', 'HTTP/1.1 200 O\0K\r\n\r\n'],
    ['not-http', '101', 'HTTP/1.1 101 Up\r\nUpgrade: x\r\n\r\n'],
    ['not-http', 'a line without a colon', `${OK}no colon\r\n\r\n`],
    ['not-http', 'a space before the colon', `${OK}A : b\r\n\r\n`],
    ['not-http', 'a name of no characters', `${OK}: b\r\n\r\n`],
    ['not-http', 'a fold before any header', `${OK} A: b\r\n\r\n`],
    ['not-http', 'NUL in a value', `${OK}A: b\0\r\n\r\n`],
    ['not-http', 'CR in a value', `${OK}A: b\rc\r\n\r\n`],
    [
      'not-http',
      'two lengths, though equal',
      `${OK}Content-Length: 1\r\nContent-Length: 1\r\n\r\nx`,
    ],
    ['not-http', 'a list of lengths', `${OK}Content-Length: 1, 1\r\n\r\nx`],
    ['not-http', 'a signed length', `${OK}Content-Length: +1\r\n\r\nx`],
    ['not-http', 'an empty length', `${OK}Content-Length:\r\n\r\n`],
    ['not-http', 'an endless length', `${OK}Content-Length: 9007199254740992\r\n\r\n`],
    ['not-http', 'a chunk without a size', `${CHUNKED}\r\nok\r\n`],
    ['not-http', 'a chunk size that is no number', `${CHUNKED}xyz\r\n`],
    ['not-http', 'a space behind a chunk size', `${CHUNKED}2 \r\nok\r\n`],
    ['not-http', 'an endless chunk', `${CHUNKED}20000000000000\r\n`],
    ['not-http', 'a chunk longer than its size', `${CHUNKED}2\r\nokay\r\n`],
    ['not-http', 'a chunk line of 16 KiB', `${CHUNKED}2;${'x'.repeat(16_384)}`],
    ['not-http', 'a trailer without a colon', `${CHUNKED}0\r\nA\r\n\r\n`],
    ['headers-too-large', 'a head of 64 KiB', `${OK}A: ${'x'.repeat(65_536)}`],
    ['headers-too-large', 'trailers of 64 KiB', `${CHUNKED}0\r\n${'A: b\r\n'.repeat(11_000)}`],
    ['too-many-informational', '17 informational responses', 'HTTP/1.1 102 P\r\n\r\n'.repeat(17)],
  ];
  for (const [fault, name, text] of rows) {
    test(`${fault}: ${name}`, () => {
      assert.equal(parseResponse([text], false).outcome, fault);
      if (text.length < 1_000) assertParses(text);
    });
  }

  for (const [fault, texts] of [
    [
      'closed-before-response',
      ['', 'HTTP/1.1 20', `${OK}A: b\r\n`, 'HTTP/1.1 100 Continue\r\n\r\n'],
    ],
    [
      'response-cut',
      [
        `${OK}Content-Length: 3\r\n\r\nok`,
        `${CHUNKED}2`,
        `${CHUNKED}2\r\no`,
        `${CHUNKED}2\r\nok\r\n`,
        `${CHUNKED}0\r\nA: b\r\n`,
      ],
    ],
  ] as const) {
    test(`${fault}: the connection ends before the response`, () => {
      for (const text of texts) {
        assert.equal(parseResponse([text], true).outcome, fault);
        assertParses(text);
      }
    });
  }
});

test('a head may have 64 KiB, in any pieces', () => {
  for (const [length, outcome] of [
    [65_536, 'end'],
    [65_537, 'headers-too-large'],
  ] as const) {
    const [start, end] = [`${OK}Content-Length: 0\r\nA: `, '\r\n\r\n'];
    const text = start + 'x'.repeat(length - start.length - end.length) + end;
    for (const places of [[], [1], [65_530], [65_533], [65_535]]) {
      assert.equal(
        parseResponse(cut(text, places), false).outcome,
        outcome,
        `${length} at ${places.join()}`,
      );
    }
  }
});

test('16 informational responses may precede each response on a connection', () => {
  const parser = new ResponseParser();
  for (const count of [16, 16]) {
    parser.begin();
    parser.feed(
      Buffer.from('HTTP/1.1 102 P\r\n\r\n'.repeat(count) + `${OK}Content-Length: 0\r\n\r\n`),
    );
    assert.deepEqual([parser.next(), parser.next()], ['head', 'end']);
  }
});

test('bytes that are fed before the last ones are used up follow them', () => {
  const parser = new ResponseParser();
  for (const piece of [OK, 'Content-Length: 0\r\n', '\r\n']) parser.feed(Buffer.from(piece));
  assert.deepEqual([parser.next(), parser.next()], ['head', 'end']);
});

test('16 KiB of headers are kept, and later ones still frame the response', () => {
  for (const [length, kept] of [
    [16_384, 1],
    [16_385, 0],
  ] as const) {
    const value = 'v'.repeat(length - 'A'.length);
    const head = `${OK}A: ${value}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    const { outcome, headers, isReusable } = parseResponse([head], false);
    assert.deepEqual([outcome, headers.length, isReusable], ['end', kept, false]);
  }
});

test('the headers that are kept do not hold the rest of a large head in memory', () => {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  const usedBytes = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = usedBytes();
  const kept = Array.from({ length: 200 }, (_, n) => {
    const head = `${OK}Content-Length: 0\r\nA: ${n}\r\nB: ${'x'.repeat(60_000)}\r\n\r\n`;
    return parseResponse([head], false).headers;
  });
  assert.ok(usedBytes() - before < 2_000_000, 'a copy of each head would take 12 MB');
  assert.equal(kept.length, 200);
});

const cuts = fc.array(fc.nat(), { maxLength: 5 });
const FUZZED = 4;
const SHARE_MS = (FUZZ_SECONDS * 1_000) / FUZZED;
const LIMIT = { timeout: SHARE_MS + 60_000 };

/** Checks a property at least once, and for its share of the time. */
function fuzz<Values>(property: fc.IProperty<Values>) {
  return (t: TestContext) => {
    const untilMs = performance.now() + SHARE_MS;
    let rounds = 0;
    do {
      fc.assert(property, { seed: FUZZ_SEED + rounds++, numRuns: RUNS_AT_ONCE });
    } while (performance.now() < untilMs);
    t.diagnostic(`${rounds * RUNS_AT_ONCE} responses`);
  };
}

const whole = (text: string, isClosed = true) => parseResponse([text], isClosed);

describe(`fuzzing for ${FUZZ_SECONDS} s: FUZZ_SEED=${FUZZ_SEED}`, () => {
  const valid = fc.property(validResponse, (text) => {
    assertParses(text);
    assert.equal(whole(text).outcome, 'end');
  });
  test('a valid response parses the same at every split', LIMIT, fuzz(valid));

  const mutated = fc.property(mutatedResponse, assertParses);
  test('a mutated response parses the same at every split', LIMIT, fuzz(mutated));

  const atLimit = fc.property(responseAtLimit, cuts, fc.boolean(), (text, places, isClosed) => {
    assert.deepEqual(parseResponse(cut(text, places), isClosed), whole(text, isClosed));
  });
  test('a response at a limit parses the same in any pieces', LIMIT, fuzz(atLimit));

  const paused = fc.property(
    fc.oneof(validResponse, mutatedResponse),
    cuts,
    fc.integer({ min: 1, max: 8 }),
    (text, places, pauseAfter) => {
      assert.deepEqual(parseResponse(cut(text, places), true, pauseAfter), whole(text));
    },
  );
  test('a response that is paused amid a piece parses as if it were not', LIMIT, fuzz(paused));
});

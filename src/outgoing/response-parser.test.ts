import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import v8 from 'node:v8';
import vm from 'node:vm';
import * as fc from 'fast-check';
import { mutatedResponse, responseAtLimit, validResponse } from '#testing/any-response';
import { ResponseParser } from './response-parser.ts';
import { parseWhole, type ParsedResponse } from '#testing/response-reference';

const isFull = process.env['BELFRY_FULL'] === '1';
const FUZZ_SECONDS = Number(process.env['FUZZ_SECONDS'] ?? (isFull ? 600 : 0));
const FUZZ_SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const RUNS_AT_ONCE = 300;

/** One buffer for all pieces, as the sockets have one for all reads. It is overwritten behind each piece. */
const READ = Buffer.alloc(256 * 1024);

/**
 * Parses a response that arrives in pieces.
 *
 * @param pauseAfter  after this many events, the rest of a piece is kept for later as if the connection were paused
 */
function parse(pieces: readonly string[], isClosed: boolean, pauseAfter = Infinity) {
  const parser = new ResponseParser();
  const result: ParsedResponse = {
    outcome: 'more',
    status: null,
    headers: [],
    idleSeconds: null,
    body: '',
    isReusable: false,
  };
  let events = 0;
  for (const [at, piece] of pieces.entries()) {
    parser.feed(READ.subarray(0, READ.write(piece, 'latin1')));
    for (let event = parser.next(); event !== 'more'; event = parser.next()) {
      if (event === 'head') {
        const { status, headers, idleSeconds } = parser;
        Object.assign(result, { status, headers, idleSeconds });
      } else if (event === 'data') {
        result.body += parser.data.toString('latin1');
      } else {
        const isBehind = pieces.slice(at + 1).some((each) => each !== '');
        result.outcome = event;
        result.isReusable = event === 'end' && parser.isReusable && !isBehind;
        return result;
      }
      if (++events !== pauseAfter) continue;
      parser.keep();
      READ.fill('#', 0, piece.length);
    }
    READ.fill('#', 0, piece.length);
  }
  if (isClosed) result.outcome = parser.close();
  return result;
}

function cut(text: string, places: readonly number[]): string[] {
  const sorted = places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b);
  return [0, ...sorted].map((place, at) => text.slice(place, sorted[at] ?? text.length));
}

/** Asserts that a response parses as the reference says, whole and split at every byte. */
function assertParses(text: string): void {
  for (const isClosed of [false, true]) {
    const expected = parseWhole(text, isClosed);
    assert.deepEqual(parse([text], isClosed), expected, JSON.stringify(text));
    assert.deepEqual(
      parse(text.split(''), isClosed),
      expected,
      `byte by byte: ${JSON.stringify(text)}`,
    );
    for (let at = 1; at < text.length; at++) {
      const pieces = [text.slice(0, at), text.slice(at)];
      assert.deepEqual(parse(pieces, isClosed), expected, JSON.stringify(pieces));
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
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\n${OK}Content-Length: 0\r\n\r\n`,
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
      const { headers, ...parsed } = parse([text], false);
      const { headers: expectedHeaders, ...others } = expected;
      assert.deepEqual(parsed, { ...whole, body: '', ...others });
      if (expectedHeaders !== undefined) assert.deepEqual(headers, expectedHeaders);
      assertParses(text);
    });
  }

  test('a body without a length ends with the connection', () => {
    const codings = ['gzip', 'chunked, gzip'].map((coding) => `Transfer-Encoding: ${coding}\r\n`);
    for (const text of ['', ...codings].map((field) => `${OK}${field}\r\nok`)) {
      assert.equal(parse([text], false).outcome, 'more');
      const { outcome, body, isReusable } = parse([text], true);
      assert.deepEqual([outcome, body, isReusable], ['end', 'ok', false]);
      assertParses(text);
    }
  });
});

describe('a connection is used again', () => {
  const rows: [name: string, text: string, isReusable: boolean][] = [
    ['by default in HTTP/1.1', `${OK}Content-Length: 0\r\n\r\n`, true],
    ['not with close', `${OK}Connection: x, Close\r\nContent-Length: 0\r\n\r\n`, false],
    ['not by default in HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', false],
    [
      'with keep-alive in HTTP/1.0',
      'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n',
      true,
    ],
    ['not with bytes behind the response', `${OK}Content-Length: 0\r\n\r\nx`, false],
    ['not with bytes behind the last chunk', `${CHUNKED}0\r\n\r\n\r\n`, false],
    [
      'not with a length beside a transfer coding',
      `${OK}Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      false,
    ],
    [
      'not with a transfer coding in HTTP/1.0',
      'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      false,
    ],
  ];
  for (const [name, text, isReusable] of rows) {
    test(name, () => {
      assert.deepEqual(
        [parse([text], false).outcome, parse([text], false).isReusable],
        ['end', isReusable],
      );
      assertParses(text);
    });
  }

  test('a connection is reusable for the time in Keep-Alive', () => {
    const withHint = (hint: string) =>
      parse([`${OK}Keep-Alive: ${hint}\r\nContent-Length: 0\r\n\r\n`], false).idleSeconds;
    assert.deepEqual(['timeout=5', 'max=3, Timeout=7', 'max=3', 'xtimeout=1'].map(withHint), [
      5,
      7,
      null,
      null,
    ]);
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
      assert.equal(parse([text], false).outcome, fault);
      if (text.length < 1_000) assertParses(text);
    });
  }

  test('closed-before-response: an end before the head is whole', () => {
    for (const text of ['', 'HTTP/1.1 20', `${OK}A: b\r\n`, 'HTTP/1.1 100 Continue\r\n\r\n']) {
      assert.equal(parse([text], true).outcome, 'closed-before-response');
      assertParses(text);
    }
  });

  test('response-cut: an end before the body is whole', () => {
    const texts = [
      `${OK}Content-Length: 3\r\n\r\nok`,
      `${CHUNKED}2`,
      `${CHUNKED}2\r\no`,
      `${CHUNKED}2\r\nok\r\n`,
      `${CHUNKED}0\r\nA: b\r\n`,
    ];
    for (const text of texts) {
      assert.equal(parse([text], true).outcome, 'response-cut');
      assertParses(text);
    }
  });
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
        parse(cut(text, places), false).outcome,
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

test('names and values of 16,384 bytes are kept, a byte more is not', () => {
  for (const [length, kept] of [
    [16_384, 2],
    [16_385, 1],
  ] as const) {
    const value = 'v'.repeat(length - 'Content-Length0A'.length);
    const head = `${OK}Content-Length: 0\r\nA: ${value}\r\n\r\n`;
    assert.equal(parse([head], false).headers.length, kept);
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
    return parse([head], false).headers;
  });
  assert.ok(usedBytes() - before < 2_000_000, 'a copy of each head would take 12 MB');
  assert.equal(kept.length, 200);
});

test('at most 16 KiB of headers are kept, and later ones still frame the response', () => {
  const fields = Array.from({ length: 30 }, (_, n) => `H${n}: ${'v'.repeat(1000)}\r\n`).join('');
  const { outcome, headers, isReusable } = parse(
    [`${OK}${fields}Connection: close\r\nContent-Length: 0\r\n\r\n`],
    false,
  );
  assert.deepEqual([outcome, headers.length, isReusable], ['end', 16, false]);
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

describe(`fuzzing for ${FUZZ_SECONDS} s: FUZZ_SEED=${FUZZ_SEED}`, () => {
  const valid = fc.property(validResponse, (text) => {
    assertParses(text);
    assert.equal(parse([text], true).outcome, 'end');
  });
  test('a valid response parses like the reference at every split', LIMIT, fuzz(valid));

  const mutated = fc.property(mutatedResponse, assertParses);
  test('a mutated response parses like the reference at every split', LIMIT, fuzz(mutated));

  const atLimit = fc.property(responseAtLimit, cuts, fc.boolean(), (text, places, isClosed) => {
    assert.deepEqual(parse(cut(text, places), isClosed), parseWhole(text, isClosed));
  });
  test('a response at a limit parses like the reference at every split', LIMIT, fuzz(atLimit));

  const paused = fc.property(
    fc.oneof(validResponse, mutatedResponse),
    cuts,
    fc.integer({ min: 1, max: 8 }),
    (text, places, pauseAfter) => {
      const pieces = cut(text, places);
      assert.deepEqual(parse(pieces, true, pauseAfter), parse(pieces, true));
    },
  );
  test('a response that is paused amid a piece parses as if it were not', LIMIT, fuzz(paused));
});

/** §2.1, §2.2, §2.9, §2.10, §4.5: the values that each field of the API accepts and rejects, and the messages of §7.1. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectRefused } from '#testing/api-calls';
import { readTopLevelFields } from '#domain/json/text';
import { aCron, aJob, EXPRESSION_OF_255 } from '#testing/api-server';
import { useService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';
import { CRON_REQUEST, type CronInput } from '#work/resources/cron';
import { JOB, type JobInput } from '#work/resources/job';
import { readWhole } from '#work/resources/resource';

const GOOD = { '/api/crons': aCron, '/api/jobs': aJob };

type Endpoint = keyof typeof GOOD;

const CRONS: Endpoint[] = ['/api/crons'];
const JOBS: Endpoint[] = ['/api/jobs'];
const BOTH: Endpoint[] = ['/api/crons', '/api/jobs'];

/** Values as JSON texts, beside which other spellings of numbers can be written. Undefined: the field is absent. */
const json = (...values: unknown[]) => values.map((value) => JSON.stringify(value));
const headerValues = (...some: unknown[]) => json(...some.map((value) => ({ 'X-A': value })));
const manyHeaders = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'v']));

const NOTHING = json(undefined, null, '', ' ', '\t\n\u00a0');
const NO_STRINGS = json(5, true, ['a'], {});
const NO_INTEGERS = ['1.5', '"1.5"', '1.0', '1e2', '"0x10"', '" 5"', '"abc"', 'true', '[5]', '{}'];
const NO_BOOLEANS = ['"true"', '"on"', '2', '-1', '1.0', '"01"', '[]'];
const HUGE = '9'.repeat(400);
const [longestUrl, tooLongUrl] = [2048, 2049].map((length) => 'http://a.b/'.padEnd(length, 'x'));
const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** The addresses differ in one part from a good one (§2.9). */
const NO_URLS = [
  ['example.com/hook', '//example.com', 'ftp://example.com/', 'javascript:alert(1)'],
  ['http:example.com', 'http:/example.com', 'http:\\\\example.com', 'https:///path', 'http://?q'],
  ['http://:80/', 'http://user@example.com/', 'http://@example.com/', 'http://exa mple.com/'],
  ['http://example.com/a b', 'http://[::1/', ' http://example.com/', 'http://1.2.3.4.5/'],
  ['http://example.com/\n', 'http://example.com/\u0000', 'http://example.com/\u0085'],
  ['http://example.com/\u3000', 'http://example.com\\@127.0.0.1/', 'http://example.com:99999/'],
  ['http://exam%ple.com/', 'http://example.com/\ud800'],
].flat();

const FRAMING = [
  ['Content-Length', 'transfer-encoding', 'CONNECTION', 'Keep-Alive', 'Upgrade', 'Expect', 'te'],
  ['Trailer', 'Proxy-Authorization', 'proxy-x'],
].flat();
const NO_NAMES = ['', ' ', 'X A', 'X:A', 'X\r\nA', 'Ä', 'X/A', '"X"'];

const CRON_INVALID = 'The cron expression is not a valid cron expression.';
const CRON_TOO_LONG = 'The cron expression field must not be greater than 255 characters.';
const URL_INVALID = 'The target URL must be a valid URL.';
const URL_TOO_LONG = 'The url field must not be greater than 2048 characters.';
const CALLBACK_INVALID = 'The callback url field must be a valid URL.';
const CALLBACK_TOO_LONG = 'The callback url field must not be greater than 2048 characters.';
const METHOD = 'The method must be one of: GET, POST, PUT, PATCH, DELETE.';
const TOO_MANY_HEADERS = 'The headers field must not have more than 100 items.';
const HEADERS_TOO_LARGE = 'The headers field must not be greater than 16384 bytes.';

/** What the texts are rejected with, by default under the name of the field. */
type Row = [errors: string | string[] | Record<string, string[]>, texts: (string | undefined)[]];

const REJECTED: [field: string, of: Endpoint[], rows: Row[]][] = [
  [
    'name',
    CRONS,
    [
      ['A name for the cron job is required.', NOTHING],
      ['The name field must be a string.', [...NO_STRINGS, ...json('a\0b', '\ud800')]],
      // Counted in code points.
      ['The name field must not be greater than 255 characters.', json('😀'.repeat(256))],
    ],
  ],
  [
    'queue',
    JOBS,
    [
      ['A queue name is required.', NOTHING],
      ['The queue field must be a string.', [...NO_STRINGS, ...json('a\0')]],
      ['The queue field must not be greater than 255 characters.', json('😀'.repeat(256))],
    ],
  ],
  [
    'url',
    BOTH,
    [
      ['A target URL is required.', NOTHING],
      ['The url field must be a string.', NO_STRINGS],
      [URL_TOO_LONG, json(tooLongUrl)],
      [URL_INVALID, json(...NO_URLS)],
      [[URL_INVALID, URL_TOO_LONG], json(`https://${'ü'.repeat(400_000)}/`)],
    ],
  ],
  [
    'callback_url',
    BOTH,
    [
      ['The callback url field must be a string.', json(5)],
      [CALLBACK_INVALID, json(...NO_URLS)],
      [CALLBACK_TOO_LONG, json(tooLongUrl)],
    ],
  ],
  [
    'cron_expression',
    CRONS,
    [
      ['A cron expression is required.', NOTHING],
      ['The cron expression field must be a string.', NO_STRINGS],
      // The grammar has tables of its own in src/domain/cron/cron.test.ts.
      [CRON_INVALID, json('@reboot', '* * * *', '60 * * * *', 'TZ=UTC 0 0 * * *')],
      ['The cron expression never produces a valid run time.', json('0 0 30 2 *')],
      [CRON_TOO_LONG, json(EXPRESSION_OF_255.replace('2 *', '12 *'))],
      [[CRON_TOO_LONG, CRON_INVALID], json(`${'0-59,'.repeat(100_000)}0 * * * *`)],
    ],
  ],
  [
    'method',
    BOTH,
    [
      [METHOD, json('get', 'Post', ' GET', 'HEAD', 'x')],
      ['The method field must be a string.', json(5, ['GET'])],
    ],
  ],
  ['payload', CRONS, [['The payload field must be a string.', [...NO_STRINGS, '[1]']]]],
  [
    'payload',
    JOBS,
    [
      ['The payload field must be an array.', json('{"a":1}', 'text', 5, true)],
      ['The payload field must not be nested deeper than 512 levels.', [513, 100_000].map(nest)],
    ],
  ],
  [
    'timeout_seconds',
    CRONS,
    [
      ['Timeout must be at least 1 second.', ['0', '"-0"', `-${HUGE}`]],
      ['Timeout cannot exceed 300 seconds (5 minutes).', ['301', '"301"', HUGE]],
      ['The timeout seconds field must be an integer.', NO_INTEGERS],
    ],
  ],
  [
    'alert_threshold',
    CRONS,
    [
      ['The alert threshold must be 1, 2, or 3.', ['0', '4', '"4"']],
      ['The alert threshold field must be an integer.', NO_INTEGERS],
    ],
  ],
  ['is_active', CRONS, [['The is active field must be true or false.', NO_BOOLEANS]]],
  [
    'delay',
    JOBS,
    [
      ['The delay field must be at least 0.', json(-1, '-1')],
      ['The delay cannot exceed 86400 seconds (24 hours).', json(86_401, '86401', 9e15)],
      ['The delay field must be an integer.', NO_INTEGERS],
    ],
  ],
  [
    'headers',
    BOTH,
    [
      ['The headers field must be an array.', json('X: 1', 5, ['X: 1'])],
      [TOO_MANY_HEADERS, json(manyHeaders(101))],
      [HEADERS_TOO_LARGE, [16 * 1024, 500_000].flatMap((size) => json({ A: 'v'.repeat(size) }))],
      [[TOO_MANY_HEADERS, HEADERS_TOO_LARGE], json({ ...manyHeaders(101), A: 'v'.repeat(20_000) })],
      [
        FRAMING.map((name) => `The headers field must not set ${name}.`),
        json(Object.fromEntries(FRAMING.map((name) => [name, '1']))),
      ],
      [
        { 'headers.X-A': ['The headers.X-A field must be a string.'] },
        headerValues(1, null, ['a'], {}),
      ],
      [
        { 'headers.X-A': ['The headers.X-A field must be a valid HTTP header value.'] },
        headerValues('a\r\nX: 2', 'a\nb', 'a\0', 'a\u001f', 'a\u007f', 'ř', '😀', '\ud800'),
      ],
      [
        Object.fromEntries(
          NO_NAMES.map((name) => [
            `headers.${name}`,
            [`The headers.${name} field must have a valid HTTP header name.`],
          ]),
        ),
        json(Object.fromEntries(NO_NAMES.map((name) => [name, '1']))),
      ],
    ],
  ],
];

const ANY_URL = json(
  longestUrl,
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]:8/',
  'HTTPS://localhost',
  'https://example.com?x=1',
  'https://bücher.example/ü?q=☃&c=@',
  'https://example.com/%20%00?path=C:\\x',
);

const ACCEPTED: [field: string, of: Endpoint[], texts: (string | undefined)[]][] = [
  ['name', CRONS, json('😀'.repeat(255))],
  ['queue', JOBS, json('😀'.repeat(255))],
  // Where they lead is checked when a request is sent (§2.2, §2.7).
  ['url', BOTH, ANY_URL],
  ['callback_url', BOTH, ANY_URL],
  ['cron_expression', CRONS, json(EXPRESSION_OF_255)],
  ['method', BOTH, json('GET', 'POST', 'PUT', 'PATCH', 'DELETE')],
  ['payload', CRONS, json('{"a":1}', 'text', '[', '5', '['.repeat(600))],
  ['timeout_seconds', CRONS, ['1', '300', '"1"', '"300"']],
  ['alert_threshold', CRONS, ['1', '2', '3', '"2"']],
];

const READ = {
  '/api/crons': (text: string) => readWhole(CRON_REQUEST, fieldsOf(text)),
  '/api/jobs': (text: string) => readWhole(JOB, fieldsOf(text)),
};
const fieldsOf = (text: string) => readTopLevelFields(text) ?? assert.fail(text);

/** A good body in which one field has the JSON text. */
function bodyWith(endpoint: Endpoint, field: string, text: string | undefined) {
  const rest = JSON.stringify({ ...GOOD[endpoint], [field]: undefined }).slice(0, -1);
  return `${rest}${text === undefined ? '' : `,"${field}":${text}`}}`;
}

function accept<At extends Endpoint>(endpoint: At, field: string, text: string | undefined) {
  const reading = READ[endpoint](bodyWith(endpoint, field, text));
  assert.ok(reading.ok, text ?? 'absent');
  return reading.input as At extends '/api/jobs' ? JobInput : CronInput;
}

describe('values of a field', () => {
  for (const [field, of, rows] of REJECTED)
    test(`wrong values of ${field} of ${of.join(' and ')} are rejected with their message`, () => {
      for (const endpoint of of)
        for (const [errors, texts] of rows)
          for (const text of texts) {
            const reading = READ[endpoint](bodyWith(endpoint, field, text));
            const isByField = typeof errors === 'object' && !Array.isArray(errors);
            const expected = isByField ? errors : { [field]: [errors].flat() };
            assert.deepEqual(reading.ok ? null : Object.fromEntries(reading.errors), expected);
          }
    });

  test('a field is accepted up to its limits', () => {
    for (const [field, of, texts] of ACCEPTED)
      for (const endpoint of of) for (const text of texts) accept(endpoint, field, text);
  });

  test('is_active takes true, false, 1, 0, "1" and "0" (§4.5)', () => {
    for (const text of ['true', '1', '"1"', 'false', '0', '"0"']) {
      const { isActive } = accept('/api/crons', 'is_active', text);
      assert.equal(isActive, /true|1/.test(text), text);
    }
  });

  test('a delay is 0 to 86,400 seconds, an integer or a decimal string (§2.2, §4.5)', () => {
    for (const text of ['0', '"0"', '-0', '86400', '"86400"']) {
      const { delaySeconds } = accept('/api/jobs', 'delay', text);
      assert.equal(delaySeconds, text.includes('86400') ? 86_400 : 0);
    }
  });
});

describe('fields of the API', () => {
  const service = useService(openSqliteTestStore, { sends: false });

  test('a rejected cron reports every broken rule, in the order of the table (§7.1)', () =>
    expectRefused(
      service,
      '/api/crons',
      {
        is_active: 'x',
        alert_threshold: 4,
        timeout_seconds: 301,
        callback_url: 'x'.repeat(2049),
        payload: {},
        headers: { Upgrade: 'x', A: 1 },
        method: 'get',
        cron_expression: 'x'.repeat(256),
        url: null,
        name: 'x'.repeat(256),
      },
      {
        name: ['The name field must not be greater than 255 characters.'],
        url: ['A target URL is required.'],
        cron_expression: [CRON_TOO_LONG, CRON_INVALID],
        method: [METHOD],
        headers: ['The headers field must not set Upgrade.'],
        'headers.A': ['The headers.A field must be a string.'],
        payload: ['The payload field must be a string.'],
        callback_url: [CALLBACK_INVALID, CALLBACK_TOO_LONG],
        timeout_seconds: ['Timeout cannot exceed 300 seconds (5 minutes).'],
        alert_threshold: ['The alert threshold must be 1, 2, or 3.'],
        is_active: ['The is active field must be true or false.'],
      },
    ));

  test('a rejected job reports every failing field, in the order of the table (§7.1)', () =>
    expectRefused(
      service,
      '/api/jobs',
      {
        delay: 'x',
        callback_url: 'x',
        payload: 'x',
        headers: 'x',
        method: 'x',
        url: 'x',
        queue: 7,
      },
      {
        queue: ['The queue field must be a string.'],
        url: [URL_INVALID],
        method: [METHOD],
        headers: ['The headers field must be an array.'],
        payload: ['The payload field must be an array.'],
        callback_url: [CALLBACK_INVALID],
        delay: ['The delay field must be an integer.'],
      },
    ));

  test('several faults of headers are all reported, those of the field as a whole first', () =>
    expectRefused(
      service,
      '/api/jobs',
      { ...aJob, headers: { 'X-A': 1, TE: 'x', 'a b': 'x', Trailer: null } },
      {
        headers: ['The headers field must not set TE.', 'The headers field must not set Trailer.'],
        'headers.X-A': ['The headers.X-A field must be a string.'],
        'headers.a b': ['The headers.a b field must have a valid HTTP header name.'],
        'headers.Trailer': ['The headers.Trailer field must be a string.'],
      },
    ));

  test('a list of jobs is read as a body without fields', () =>
    expectRefused(service, '/api/jobs', [aJob, aJob], {
      queue: ['A queue name is required.'],
      url: ['A target URL is required.'],
    }));
});

/** §2.1: a cron as created with POST /api/crons; §2.8, §2.9, §2.10, §4.5, §7.1, §1.2, §2.6. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_ALERT_SETTINGS } from '#domain/alert-settings';
import { countStored, expectCreated, expectRefused } from '#testing/api-calls';
import { callHttp } from '#testing/client';
import { aCron } from '#testing/api-server';
import { type TestService, useService } from '#testing/service';
import { forEachStore, openSqliteTestStore } from '#testing/stores';

const INVALID = 'The cron expression is not a valid cron expression.';
const NEVER = 'The cron expression never produces a valid run time.';
const METHOD = 'The method must be one of: GET, POST, PUT, PATCH, DELETE.';
/** Written as JSON. */
const NO_INTEGERS = ['1.5', '"1.5"', '1.0', '1e2', '"0x10"', '" 5"', '"abc"', 'true', '[]', '{}'];
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** A list in the minutes and the hours; each entry takes two characters, the last one but the comma. */
const listOf255 = `${'1,'.repeat(60)}1 ${'2,'.repeat(63)}2 * * *`;

async function readCron(service: TestService, body: Record<string, unknown> | string) {
  const { json } = await expectCreated(service, '/api/crons', body);
  const cron = await service.work.findCron(service.teamId, String(json['id']));
  assert.ok(cron, 'the cron is stored');
  return cron;
}

forEachStore((_, openTestStore) => {
  const service = useService(openTestStore, { sends: false });

  describe('a stored cron', () => {
    test('a cron is stored with every value as sent, byte for byte (§4.5)', async () => {
      const given = {
        name: '  Nächtlich 😀 / "x"\n',
        url: 'https://EXAMPLE.com:8443/Hook/../a?b=%C3%A9&c=ü#top',
        cron_expression: '*/5\t9-17  * JAN,mar mon-FRI',
        method: 'PATCH',
        headers: { 'X-Key': 'é a', 'x-lower': '', '1': 'digit first' },
        payload: ' {"b":1, "1":9007199254740993} \u0000 \ud800 é',
        callback_url: 'http://example.com/cb?ref=a/b',
        timeout_seconds: 300,
        alert_threshold: 2,
        is_active: true,
      };
      // JSON.stringify would write the lone surrogate as an escape, which is how it must come.
      const cron = await readCron(service, given);
      const { id, createdAt, nextRunAt, teamId, ...stored } = cron;
      assert.match(id, UUID_V7);
      assert.equal(createdAt, service.clock.now());
      assert.equal(nextRunAt, Date.parse('2027-01-01T09:00:00Z'));
      assert.equal(teamId, service.teamId);
      assert.deepEqual(stored, {
        name: given.name,
        url: given.url,
        cronExpression: given.cron_expression,
        method: 'PATCH',
        headers: [
          ['1', 'digit first'],
          ['X-Key', 'é a'],
          ['x-lower', ''],
        ],
        payload: given.payload,
        callbackUrl: given.callback_url,
        timeoutSeconds: 300,
        alertThreshold: 2,
        assertions: [],
        alertSettings: NO_ALERT_SETTINGS,
        stopAfter: null,
        stoppedAfter: null,
        keepsResponseBody: true,
        pausedUntil: null,
        startsAt: null,
        tags: [],
        end: { endsAt: null, maxRuns: null },
        runsCounted: 0,
        isActive: true,
        unreadable: null,
      });
    });

    test('headers keep their order, also names of digits and __proto__ (§2.6)', async () => {
      const headers = '{"b":"1","1":"2","__proto__":"3","a":"4"}';
      const cron = await readCron(
        service,
        `${JSON.stringify(aCron).slice(0, -1)},"headers":${headers}}`,
      );
      assert.deepEqual(cron.headers, [
        ['b', '1'],
        ['1', '2'],
        ['__proto__', '3'],
        ['a', '4'],
      ]);
    });

    test('absent and empty fields of a cron get their defaults (§4.5)', async () => {
      const optional =
        'method headers payload callback_url timeout_seconds alert_threshold is_active';
      for (const nothing of [undefined, null, '', ' \t\n']) {
        const fields = optional.split(' ').map((field) => [field, nothing]);
        const cron = await readCron(service, { ...aCron, ...Object.fromEntries(fields) });
        assert.equal(cron.method, 'GET');
        assert.deepEqual(cron.headers, []);
        assert.equal(cron.payload, null);
        assert.equal(cron.callbackUrl, null);
        assert.equal(cron.timeoutSeconds, 30);
        assert.equal(cron.alertThreshold, null);
        assert.equal(cron.isActive, true);
      }
    });
  });

  test('unknown fields are ignored, success_assertions included', async () => {
    const cron = await readCron(service, {
      ...aCron,
      success_assertions: [{ kind: 'body_contains', text: 'x' }],
      assertions: [{ kind: 'body_contains', text: 'x' }],
      id: 'mine',
      team_id: 'other',
      next_run_at: '2000-01-01T00:00:00+00:00',
      timezone: 'Europe/Berlin',
      queue: 5,
      delay: -1,
      constructor: {},
    });
    assert.deepEqual(cron.assertions, []);
    assert.notEqual(cron.id, 'mine');
    assert.equal(cron.teamId, service.teamId);
    assert.equal(cron.nextRunAt, service.clock.now() + 5 * 60_000);
  });

  test('each call creates a new cron, even with an identical name', async () => {
    const before = await countStored(service.store);
    const answers = await Promise.all([1, 2, 3].map(() => service.post('/api/crons', aCron)));
    assert.equal(new Set(answers.map(({ json }) => json['id'])).size, 3);
    assert.deepEqual(await countStored(service.store), { ...before, crons: before.crons + 3 });
  });

  test('is_active false creates a paused cron without a next run', async () => {
    const { json } = await expectCreated(service, '/api/crons', { ...aCron, is_active: false });
    assert.equal(json['next_run_at'], null);
    assert.equal(json['is_active'], false);
    const cron = await service.work.findCron(service.teamId, String(json['id']));
    assert.equal(cron?.isActive, false);
    assert.equal(cron?.nextRunAt, null);
  });

  test('the longest value of every field of a cron is stored whole', async () => {
    const name = '😀'.repeat(255);
    const url = `https://example.com/${'é'.repeat(2048 - 20)}`;
    assert.equal(listOf255.length, 255);
    const given = { name, url, callback_url: url, cron_expression: listOf255 };
    const cron = await readCron(service, given);
    assert.deepEqual([cron.name, cron.url, cron.callbackUrl], [name, url, url]);
    assert.equal(cron.cronExpression, listOf255);
    assert.equal(cron.nextRunAt, Date.parse('2026-11-22T02:01:00Z'));
  });
});

describe('POST /api/crons', () => {
  const service = useService(openSqliteTestStore, { sends: false });

  const refuse = (change: object, errors: Record<string, string[]>) =>
    expectRefused(service, '/api/crons', { ...aCron, ...change }, errors);
  const create = (change: object) => expectCreated(service, '/api/crons', { ...aCron, ...change });
  /** With one field written literally: JSON.stringify would normalize numbers. */
  const refuseRaw = (field: string, raw: string, message: string) =>
    expectRefused(
      service,
      '/api/crons',
      `${JSON.stringify(aCron).slice(0, -1)},${JSON.stringify(field)}:${raw}}`,
      { [field]: [message] },
    );

  describe('the response', () => {
    test('a new cron is answered with 201 and exactly these bytes (§1.2)', async () => {
      const { text, headers, json } = await create({ name: 'Nächtlich / 😀 <b>' });
      assert.equal(headers.get('content-type'), 'application/json');
      assert.match(String(json['id']), UUID_V7);
      assert.equal(
        text,
        `{"id":"${String(json['id'])}","name":"N\\u00e4chtlich \\/ \\ud83d\\ude00 <b>",` +
          '"cron_expression":"*\\/5 * * * *","next_run_at":"2026-11-21T12:05:00+00:00","is_active":true}',
      );
    });

    test('the response repeats name and cron_expression as sent, white space and case too (§4.5)', async () => {
      const { json } = await create({ name: ' a\t', cron_expression: ' @HOURLY' });
      assert.equal(json['name'], ' a\t');
      assert.equal(json['cron_expression'], ' @HOURLY');
    });
  });

  describe('a required field', () => {
    const missing = {
      name: 'A name for the cron job is required.',
      url: 'A target URL is required.',
      cron_expression: 'A cron expression is required.',
    };
    for (const [field, message] of Object.entries(missing)) {
      test(`a cron whose ${field} is absent, null, empty or white space is rejected: "${message}"`, async () => {
        for (const nothing of [undefined, null, '', ' ', '\t\n\u00a0']) {
          await refuse({ [field]: nothing }, { [field]: [message] });
        }
      });
      test(`a cron whose ${field} is no string gets one message: it must be a string (§7.1)`, async () => {
        const label = field.replace('_', ' ');
        for (const wrong of [5, true, false, 0, [], {}, ['a'], { a: 1 }]) {
          await refuse({ [field]: wrong }, { [field]: [`The ${label} field must be a string.`] });
        }
      });
    }
  });

  test("a cron's name has at most 255 characters, counted in code points, and no NUL or lone surrogate (§7.1)", async () => {
    await create({ name: 'é'.repeat(255) });
    await refuse(
      { name: '😀'.repeat(256) },
      { name: ['The name field must not be greater than 255 characters.'] },
    );
    for (const name of ['a\0b', '\ud800'])
      await refuse({ name }, { name: ['The name field must be a string.'] });
  });

  test("a cron's URL has at most 2,048 characters", async () => {
    await create({ url: 'http://a.b/'.padEnd(2048, 'x') });
    const tooLong = 'The url field must not be greater than 2048 characters.';
    await refuse({ url: 'http://a.b/'.padEnd(2049, 'x') }, { url: [tooLong] });
    const both = ['The target URL must be a valid URL.', tooLong];
    await refuse({ url: 'x'.repeat(2049) }, { url: both });
  });

  test('a URL is absolute, http or https, with a host and without user info, white space or control characters (§2.9)', async () => {
    for (const url of [
      'example.com/hook',
      '/hook',
      '//example.com',
      'ftp://example.com/',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'http:example.com',
      'http:/example.com',
      'http:\\\\example.com',
      'https:///path',
      'http://',
      'http://?q',
      'http://#x',
      'http://:80/',
      'http://user@example.com/',
      'http://user:secret@example.com/',
      'http://@example.com/',
      'http://:@example.com/',
      'http://exa mple.com/',
      'http://exam\nple.com/',
      'http://example.com/a b',
      'http://example.com/a\tb',
      ' http://example.com/',
      'http://example.com ',
      'http://example.com/\n',
      'http://example.com/\u0000',
      'http://example.com/\u007f',
      'http://example.com/\u0085',
      'http://example.com/\u00a0',
      'http://example.com/\u3000',
      'http://example.com\\@127.0.0.1/',
      'http://example.com:99999/',
      'http://[::1/',
      'http://1.2.3.4.5/',
      'http://exam%ple.com/',
      'http://example.com/\ud800',
    ]) {
      await refuse(
        { url, callback_url: url },
        {
          url: ['The target URL must be a valid URL.'],
          callback_url: ['The callback url field must be a valid URL.'],
        },
      );
    }
    const endless = `https://${'ü'.repeat(400_000)}/`;
    const tooLong = 'The url field must not be greater than 2048 characters.';
    await refuse({ url: endless }, { url: ['The target URL must be a valid URL.', tooLong] });
  });

  test('a URL that can only be checked at sending is accepted (§2.2, §2.7)', async () => {
    for (const url of [
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[::1]:8/',
      'HTTPS://localhost',
      'http://0x7f.1',
      'https://example.com?x=1',
      'https://bücher.example/ü?q=☃',
      'https://example.com/a@b?c=@',
      'https://example.com/%20%00?path=C:\\x',
    ]) {
      await create({ url, callback_url: url });
    }
  });

  test('callback_url is a string of at most 2,048 characters', async () => {
    const field = 'callback_url';
    await refuse({ [field]: 5 }, { [field]: ['The callback url field must be a string.'] });
    await refuse(
      { [field]: 'http://a.b/'.padEnd(2049, 'x') },
      { [field]: ['The callback url field must not be greater than 2048 characters.'] },
    );
  });

  describe('cron_expression', () => {
    test('the next run is evaluated in UTC', async () => {
      for (const [expression, next] of Object.entries({
        '* * * * *': '2026-11-21T12:01:00+00:00',
        '30 12 ? NOV SAT': '2026-11-21T12:30:00+00:00',
        '0 0 * * MON-FRI': '2026-11-23T00:00:00+00:00',
        '@yearly': '2027-01-01T00:00:00+00:00',
      })) {
        const { json } = await create({ cron_expression: expression });
        assert.equal(json['cron_expression'], expression);
        assert.equal(json['next_run_at'], next);
      }
    });

    test('an expression that is invalid or never runs is rejected', async () => {
      // The grammar has tables of its own in src/domain/cron.test.ts.
      for (const expression of ['@reboot', '* * * *', '60 * * * *', 'TZ=UTC 0 0 * * *']) {
        await refuse({ cron_expression: expression }, { cron_expression: [INVALID] });
      }
      await refuse({ cron_expression: '0 0 30 2 *' }, { cron_expression: [NEVER] });
    });

    test('a cron expression has at most 255 characters', async () => {
      assert.equal(listOf255.length, 255);
      await create({ cron_expression: listOf255 });
      await refuse(
        { cron_expression: listOf255.replace('2 *', '12 *') },
        {
          cron_expression: ['The cron expression field must not be greater than 255 characters.'],
        },
      );
    });

    test('a huge cron expression is rejected without searching for a time', async () => {
      await refuse(
        { cron_expression: `${'0-59,'.repeat(100_000)}0 * * * *` },
        {
          cron_expression: [
            'The cron expression field must not be greater than 255 characters.',
            INVALID,
          ],
        },
      );
    });
  });

  test("a cron's method is GET, POST, PUT, PATCH or DELETE in uppercase", async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) await create({ method });
    for (const method of ['get', 'Post', ' GET', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'x']) {
      await refuse({ method }, { method: [METHOD] });
    }
    for (const method of [5, true, ['GET'], {}]) {
      await refuse({ method }, { method: ['The method field must be a string.'] });
    }
  });

  test("a cron's payload is a string, not an object", async () => {
    for (const payload of [{ a: 1 }, {}, [], [1], 5, 0, true, false]) {
      await refuse({ payload }, { payload: ['The payload field must be a string.'] });
    }
    for (const payload of ['{"a":1}', 'text', '[', '5', '['.repeat(600)]) await create({ payload });
  });

  test('timeout_seconds is 1 to 300, an integer or a decimal string (§4.5)', async () => {
    const field = 'timeout_seconds';
    for (const good of [1, 300, '1', '300']) await create({ [field]: good });
    const short = 'Timeout must be at least 1 second.';
    const long = 'Timeout cannot exceed 300 seconds (5 minutes).';
    for (const raw of ['0', '-1', '"0"', '"-5"', '"-0"', `-${'9'.repeat(400)}`])
      await refuseRaw(field, raw, short);
    for (const raw of ['301', '"301"', '9007199254740993', '9'.repeat(400)])
      await refuseRaw(field, raw, long);
    for (const raw of [...NO_INTEGERS, 'false', '[5]'])
      await refuseRaw(field, raw, 'The timeout seconds field must be an integer.');
  });

  test('alert_threshold is 1, 2 or 3', async () => {
    const field = 'alert_threshold';
    for (const good of [1, 2, 3, '2']) await create({ [field]: good });
    for (const raw of ['0', '4', '-1', '"4"', '"0"'])
      await refuseRaw(field, raw, 'The alert threshold must be 1, 2, or 3.');
    for (const raw of NO_INTEGERS)
      await refuseRaw(field, raw, 'The alert threshold field must be an integer.');
  });

  test('is_active takes true, false, 1, 0, "1", "0" and no other value (§4.5)', async () => {
    for (const [given, expected] of [
      [true, true],
      [1, true],
      ['1', true],
      [false, false],
      [0, false],
      ['0', false],
    ]) {
      assert.equal((await create({ is_active: given })).json['is_active'], expected);
    }
    for (const raw of ['"true"', '"false"', '"yes"', '"on"', '2', '-1', '0.5', '1.0', '"01"', '[]'])
      await refuseRaw('is_active', raw, 'The is active field must be true or false.');
  });

  test('a rejected cron reports every broken rule, in the order of the table (§7.1)', async () => {
    const wrong = {
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
    };
    await refuse(wrong, {
      name: ['The name field must not be greater than 255 characters.'],
      url: ['A target URL is required.'],
      cron_expression: [
        'The cron expression field must not be greater than 255 characters.',
        INVALID,
      ],
      method: [METHOD],
      headers: ['The headers field must not set Upgrade.'],
      'headers.A': ['The headers.A field must be a string.'],
      payload: ['The payload field must be a string.'],
      callback_url: [
        'The callback url field must be a valid URL.',
        'The callback url field must not be greater than 2048 characters.',
      ],
      timeout_seconds: ['Timeout cannot exceed 300 seconds (5 minutes).'],
      alert_threshold: ['The alert threshold must be 1, 2, or 3.'],
      is_active: ['The is active field must be true or false.'],
    });
  });

  test('a form can set every field of a cron (§4.5)', async () => {
    const body = new URLSearchParams({
      name: 'From a form é',
      url: 'https://example.com/?a=1&b=2',
      cron_expression: '*/5 * * * *',
      method: 'POST',
      'headers[X-A]': '1',
      'headers[X-B]': 'two words',
      payload: '{"a":1}',
      callback_url: 'https://example.com/cb',
      timeout_seconds: '7',
      alert_threshold: '3',
      is_active: '0',
    });
    const headers = {
      Authorization: `Bearer ${service.token}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    const answer = await callHttp(`${service.url}/api/crons`, { headers, body: String(body) });
    assert.equal(answer.status, 201, answer.text);
    const { id } = JSON.parse(answer.text) as { id: string };
    const cron = await service.work.findCron(service.teamId, id);
    assert.equal(cron?.name, 'From a form é');
    assert.equal(cron.url, 'https://example.com/?a=1&b=2');
    assert.deepEqual(cron.headers, [
      ['X-A', '1'],
      ['X-B', 'two words'],
    ]);
    assert.equal(cron.payload, '{"a":1}');
    assert.deepEqual([cron.timeoutSeconds, cron.alertThreshold, cron.isActive], [7, 3, false]);
  });
});

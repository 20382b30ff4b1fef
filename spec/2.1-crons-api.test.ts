/** §2.1: a cron as created with POST /api/crons; §2.8, §4.5, §1.2, §2.6. What its fields reject is in 2-fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ALERT_SETTINGS } from '#domain/alerts/alert-settings';
import { expectCreated } from '#testing/api-calls';
import { callHttp } from '#testing/client';
import { aCron } from '#testing/api-server';
import { useService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const service = useService(openSqliteTestStore, { sends: false });

async function readCron(body: Record<string, unknown> | string) {
  const { json } = await expectCreated(service, '/api/crons', body);
  const cron = await service.work.findCron(service.teamId, String(json['id']));
  assert.ok(cron, 'the cron is stored');
  return cron;
}

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
  const cron = await readCron(given);
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

test('absent and empty fields of a cron get their defaults (§4.5)', async () => {
  const optional = 'method headers payload callback_url timeout_seconds alert_threshold is_active';
  for (const nothing of [undefined, null, ' \t\n']) {
    const fields = optional.split(' ').map((field) => [field, nothing]);
    const cron = await readCron({ ...aCron, ...Object.fromEntries(fields) });
    assert.equal(cron.method, 'GET');
    assert.deepEqual(cron.headers, []);
    assert.equal(cron.payload, null);
    assert.equal(cron.callbackUrl, null);
    assert.equal(cron.timeoutSeconds, 30);
    assert.equal(cron.alertThreshold, null);
    assert.equal(cron.isActive, true);
  }
});

test('unknown fields are ignored, success_assertions included', async () => {
  const cron = await readCron({
    ...aCron,
    success_assertions: [{ kind: 'body_contains', text: 'x' }],
    id: 'mine',
    team_id: 'other',
    next_run_at: '2000-01-01T00:00:00+00:00',
    queue: 5,
    constructor: {},
  });
  assert.deepEqual(cron.assertions, []);
  assert.notEqual(cron.id, 'mine');
  assert.equal(cron.teamId, service.teamId);
  assert.equal(cron.nextRunAt, service.clock.now() + 5 * 60_000);
});

test('a new cron is answered with 201 and exactly these bytes (§1.2)', async () => {
  const cron = { ...aCron, name: 'Nächtlich / 😀 <b>' };
  const { text, headers, json } = await expectCreated(service, '/api/crons', cron);
  assert.equal(headers.get('content-type'), 'application/json');
  assert.match(String(json['id']), UUID_V7);
  assert.equal(
    text,
    `{"id":"${String(json['id'])}","name":"N\\u00e4chtlich \\/ \\ud83d\\ude00 <b>",` +
      '"cron_expression":"*\\/5 * * * *","next_run_at":"2026-11-21T12:05:00+00:00","is_active":true}',
  );
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

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '#domain/base/ids';
import { parseUtc } from '#domain/base/instant';
import { readTopLevelFields } from '#domain/json/text';
import type { ChannelConfig } from '#domain/alerts/notification-channel';
import { aCron } from '#testing/factories';
import { openWork } from '#testing/work';
import { DEFAULT_CHANNEL_FIELDS } from './resources/channel.ts';
import { readWhole } from './resources/resource.ts';
import { maskUrl } from './channels.ts';
import { readFormPairs } from './form-fields.ts';
import { readWindowInput } from './resources/window.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-21T22:00:00Z');
const CRON_ID = newId(START);

function fieldsOf(values: object) {
  return readTopLevelFields(JSON.stringify(values)) ?? new Map();
}

const VALID = { name: 'Move', starts_at: '2026-11-21 22:00', ends_at: '2026-11-22T02:00:00Z' };

function windowErrors(values: object): Record<string, readonly string[]> {
  const reading = readWindowInput(fieldsOf({ ...VALID, ...values }));
  return reading.ok ? {} : Object.fromEntries(reading.errors);
}

describe('reading a maintenance window', () => {
  test('a maintenance window is in UTC, once and for the whole team by default', () => {
    const reading = readWindowInput(fieldsOf(VALID));
    assert.deepEqual(reading, {
      ok: true,
      input: {
        name: 'Move',
        startsAt: START,
        endsAt: START + 4 * HOUR,
        isWeekly: false,
        pausesRuns: false,
        covers: 'team',
      },
    });
  });
  test('the form of a maintenance window reads the chosen crons and queues', () => {
    const form = new URLSearchParams({ ...VALID, is_weekly: '1', covers: 'chosen' });
    form.append('sources[]', `cron:${CRON_ID}`);
    form.append('sources[]', `cron:${CRON_ID}`);
    const reading = readWindowInput(readFormPairs(form));
    assert.ok(reading.ok);
    assert.equal(reading.input.isWeekly, true);
    assert.deepEqual(reading.input.covers, [{ kind: 'cron', id: CRON_ID }]);
  });

  test('a maintenance window with one wrong field is rejected for it alone', () => {
    const chosen = { covers: 'chosen' };
    const rows: [values: object, field: string, message: RegExp][] = [
      [{ name: ' ' }, 'name', /is required/],
      [{ name: 'x'.repeat(256) }, 'name', /255 characters/],
      [{ starts_at: '' }, 'starts_at', /start is required/],
      [{ ends_at: null }, 'ends_at', /end is required/],
      [{ starts_at: '2026-11-21T22:00+01:00' }, 'starts_at', /in UTC/],
      [{ starts_at: 1_795_298_400_000 }, 'starts_at', /in UTC/],
      [{ ends_at: '2026-11-21 21:59' }, 'ends_at', /after the start/],
      [{ ends_at: '2026-11-21 22:00' }, 'ends_at', /after the start/],
      [{ is_weekly: true, ends_at: '2026-11-28 22:01' }, 'ends_at', /7 days/],
      [{ covers: 'everything' }, 'covers', /whole team/],
      [chosen, 'sources', /at least one/],
      [{ ...chosen, sources: ['team:1'] }, 'sources', /must be a list/],
      [{ ...chosen, sources: [[CRON_ID]] }, 'sources', /must be a list/],
      [{ ...chosen, sources: { 0: 1 } }, 'sources', /must be a list/],
    ];
    for (const [values, field, message] of rows) {
      const errors = windowErrors(values);
      assert.deepEqual(Object.keys(errors), [field], JSON.stringify(values));
      assert.match(errors[field]?.[0] ?? '', message);
    }
    assert.deepEqual(windowErrors({ is_weekly: true, ends_at: '2026-11-28 22:00' }), {});
  });
  test('a time of a maintenance window that no calendar has is rejected', () => {
    assert.equal(parseUtc('2026-02-30 12:00'), null);
    assert.equal(parseUtc('2026-11-21 24:00'), null);
    assert.equal(parseUtc('2026-11-21 22:61'), null);
    assert.equal(parseUtc('1969-11-21 22:00'), null);
    assert.equal(parseUtc('2026-11-21T22:00:30.25Z'), START + 30_000);
  });
});

describe('reading a notification channel', () => {
  const url = 'https://hooks.example/services/T0/B0/abcdefgh';
  const email: ChannelConfig = { kind: 'email' };
  const read = (values: object, current: ChannelConfig = email) => {
    const reading = readWhole(DEFAULT_CHANNEL_FIELDS, fieldsOf(values), {
      stored: { config: current },
    });
    return reading.ok ? reading.input.config : Object.fromEntries(reading.errors);
  };
  test('an email channel needs no address', () => {
    assert.deepEqual(read({ kind: 'email', url: '' }), email);
    assert.deepEqual(read({}), email);
  });
  test('a field of another kind is rejected', () => {
    const no = (kind: string, has = '') => [`A channel of kind ${kind} has no such field${has}.`];
    const addresses = ['a@b.example'];
    assert.deepEqual(read({ kind: 'email', url }), { url: no('email') });
    assert.deepEqual(read({ kind: 'email-addresses', addresses, token: 'x' }), {
      token: no('email-addresses', '; it has addresses'),
    });
    assert.deepEqual(read({ kind: 'ntfy', url: 'https://ntfy.sh/ours', addresses }), {
      addresses: no('ntfy', '; it has url, token'),
    });
    assert.deepEqual(read({ chat_id: '-1' }, { kind: 'slack', url }), {
      chat_id: no('slack', '; it has url'),
    });
  });
  test('a chat channel needs an address, and a blank one keeps that of the same chat', () => {
    const slack = { kind: 'slack', url } as const;
    const errorOf = (...given: Parameters<typeof read>) =>
      (read(...given) as { url?: unknown }).url;
    assert.deepEqual(read(slack), slack);
    assert.deepEqual(read({ kind: 'slack', url: '' }, slack), slack);
    for (const [values, current] of [
      [{ kind: 'slack' }, email],
      [{ kind: 'teams', url: '' }, email],
      [{ kind: 'discord' }, slack],
    ] as const)
      assert.ok(Array.isArray(errorOf(values, current)));
    assert.match(String(errorOf({ kind: 'slack', url: 'ftp://x.example/' })), /valid URL/);
  });
  const stored = {
    ntfy: { kind: 'ntfy', url: 'https://ntfy.sh/ours', token: 'tk_secret' },
    telegram: { kind: 'telegram', token: '1:s3cret', chat_id: '-1', server: 'https://tg.example' },
    pagerduty: { kind: 'pagerduty', routing_key: 'R0UT1NG' },
  } as const satisfies Record<string, ChannelConfig>;
  test('a blank secret is kept for the same server', () => {
    const changes = [
      { kind: 'ntfy' },
      { kind: 'ntfy', url: 'https://ntfy.sh/other' },
      { kind: 'telegram', chat_id: '-2', server: 'https://tg.example/' },
      { kind: 'pagerduty' },
    ] as const;
    for (const change of changes)
      assert.deepEqual(read(change, stored[change.kind]), { ...stored[change.kind], ...change });
  });
  const refused: [keyof typeof stored, object, string][] = [
    ['ntfy', { url: 'https://evil.example/ours' }, 'token'],
    ['ntfy', { url: 'http://ntfy.sh/ours' }, 'token'],
    ['ntfy', { url: 'https://ntfy.sh:8443/ours' }, 'token'],
    ['telegram', { chat_id: '-1', server: 'https://evil.example' }, 'token'],
    ['telegram', { chat_id: '-1', server: '' }, 'token'],
    ['pagerduty', { server: 'https://evil.example' }, 'routing_key'],
  ];
  for (const [kind, values, field] of refused) {
    test(`a blank secret of ${kind} is not sent to another server: ${JSON.stringify(values)}`, () => {
      const errors = read({ kind, ...values }, stored[kind]) as Record<string, string[]>;
      assert.deepEqual(Object.keys(errors), [field]);
      assert.match(errors[field]?.[0] ?? '', /^Enter the .* again, because the server has changed/);
    });
  }
  test('a token that is entered or removed goes with another server', () => {
    const url = 'https://ntfy.example/ours';
    assert.deepEqual(read({ kind: 'ntfy', url, token: 'tk_new' }, stored.ntfy), {
      kind: 'ntfy',
      url,
      token: 'tk_new',
    });
    assert.deepEqual(read({ kind: 'ntfy', url, token: '-' }, stored.ntfy), { kind: 'ntfy', url });
  });
  test('a channel of an unknown kind is rejected', () => {
    assert.ok('kind' in read({ kind: 'constructor', url }));
    assert.match(String((read({ kind: 'pager', url }) as { kind: string[] }).kind[0]), /Slack/);
  });
  test("a channel's address is shown in part", () => {
    assert.equal(maskUrl(url), 'https://hooks.example/…efgh');
    assert.equal(maskUrl('http://127.0.0.1:9/key'), 'http://127.0.0.1:9/…');
  });
});

describe("a team's maintenance windows", () => {
  test('active windows are listed first, and a weekly one is never over', async () => {
    await using fixture = await openWork();
    const { store, work } = fixture;
    const { id: teamId } = fixture.team;
    const now = store.clock.now();
    const make = (name: string, from: number, to: number, isWeekly = false) =>
      work.createWindow(teamId, {
        name,
        startsAt: now + from * HOUR,
        endsAt: now + to * HOUR,
        isWeekly,
        covers: 'team',
      });
    await make('over', -3, -2);
    await make('weekly', -3, -2, true);
    await make('later', 1, 2);
    await make('now', -1, 1);
    const windows = await work.listWindows(teamId);
    assert.deepEqual(
      windows.map(({ name, state }) => `${name} ${state}`),
      ['now active', 'later upcoming', 'weekly upcoming', 'over over'],
    );
  });

  test('maintenance windows cover and are found by their own team only', async () => {
    await using fixture = await openWork();
    const { store, work } = fixture;
    const [teamId, otherTeamId] = [fixture.team.id, fixture.otherTeam.id];
    const cron = await aCron(store, teamId);
    const made = await work.startMaintenanceNow(otherTeamId, [{ kind: 'cron', id: cron.id }]);
    assert.ok(made.kind === 'done');
    assert.deepEqual(made.window.covers, []);
    const { window } = made;
    assert.equal(await work.findWindow(teamId, window.id), null);
    assert.equal((await work.editWindow(teamId, window.id, window)).kind, 'not-found');
    assert.equal((await work.editWindow(otherTeamId, 'no id', window)).kind, 'not-found');
    assert.equal(await work.deleteWindow(teamId, window.id), false);
  });

  test('the oldest ended maintenance windows make room, weekly and future ones never', async () => {
    await using fixture = await openWork();
    const { store, work } = fixture;
    const { id: teamId } = fixture.team;
    const cron = await aCron(store, teamId);
    const { id: otherTeamId } = fixture.otherTeam;
    const theirs = await work.startMaintenanceNow(otherTeamId, 'team');
    const now = store.clock.now();
    const make = (name: string, from: number, isWeekly = false) =>
      work.createWindow(teamId, {
        name,
        startsAt: now + from * HOUR,
        endsAt: now + (from + 1) * HOUR,
        isWeekly,
        covers: [{ kind: 'cron', id: cron.id }],
      });
    await make('weekly', -900, true);
    await make('over', -600);
    await make('longest over', -800);
    for (let n = 0; n < 197; n++) await make('to come', n + 1);
    assert.equal((await make('newer', 1)).kind, 'done');
    const names = async () => (await work.listWindows(teamId)).map(({ name }) => name);
    assert.ok(!(await names()).includes('longest over'));
    assert.ok((await names()).includes('over'));
    assert.equal((await make('newest', 1)).kind, 'done');
    assert.ok((await names()).includes('weekly') && !(await names()).includes('over'));
    assert.equal((await names()).length, 200);
    assert.equal((await make('one more', 1)).kind, 'too-many');
    assert.ok(theirs.kind === 'done');
    assert.ok(await work.findWindow(otherTeamId, theirs.window.id));
  });
});

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { Store } from '#store/store';
import { type Json, run, useCommands, words } from '#testing/command-line';
import { makeFolder } from '#testing/guard';
import { before } from '#testing/hooks';
import { aCron, aQueue } from '#testing/factories';
import { createWork, type Work } from '#work/work';
import { realClock } from '#app/real-clock';

const FILE = `
version: 1
channel:
  kind: slack
  url: { env: BELFRY_SECRET_CHANNEL }
queues:
  - name: mails
    retry_schedule: 10s, 5m
    rate: 10/second
    concurrency_limit: 3
    tags: [eu, mails]
crons:
  # Wakes the reports up.
  - name: Nightly
    url: https://reports.test/run
    cron_expression: '0 3 * * *'
    method: POST
    headers:
      X-Team: mails
      Authorization: { env: BELFRY_SECRET_TOKEN }
    payload: |
      {"kind": "full"}
    alert_threshold: 2
    tags: [Nightly, eu]
    assertions:
      - { kind: body_contains, text: done }
maintenance_windows:
  - name: Sundays
    starts_at: 2026-11-22 01:00
    ends_at: 2026-11-22 03:00
    is_weekly: true
    covers:
      crons: [Nightly]
      queues: [mails]
`;
const SECRETS = {
  BELFRY_SECRET_CHANNEL: 'https://hooks.slack.test/services/hush-hush',
  BELFRY_SECRET_TOKEN: 'Bearer hush-hush',
};

/** Without what two records that say the same differ in. */
function bare(record: object): Json {
  const own = new Set(['teamId', 'id', 'createdAt', 'nextRunAt', 'covers']);
  return Object.fromEntries(Object.entries(record).filter(([name]) => !own.has(name)));
}

const { open } = useCommands();
let store: Store;
let work: Work;
const folder = makeFolder();
let teamCount = 0;

before(() => {
  ({ store } = open);
  work = createWork({ store });
});

const makeTeam = async () =>
  (await store.teams.create(`Team ${++teamCount}`, 'free', realClock.now())).id;

/** What a team has, without what differs between two teams that are the same. */
async function contentOf(teamId: string) {
  const [queues, crons, windows] = await Promise.all([
    work.listQueues(teamId),
    work.listCrons(teamId),
    work.listWindows(teamId),
  ]);
  const names = new Map([...queues, ...crons].map(({ id, name }) => [id, name]));
  const covered = windows.map(({ covers }) =>
    covers === 'team' ? covers : covers.map(({ id }) => names.get(id)).join(),
  );
  return {
    channel: await work.findChannelConfig(teamId, 'default'),
    queues: queues.map(bare),
    crons: crons.map(bare),
    windows: windows.map(bare),
    covered,
  };
}

async function apply(
  teamId: string,
  text: string,
  { env = SECRETS, options = [] }: { env?: NodeJS.ProcessEnv; options?: string[] } = {},
) {
  const file = path.join(folder, 'team.yaml');
  fs.writeFileSync(file, text);
  return run(open.config, ['team', 'apply', '--team', teamId, file, ...options], { env });
}

/** The lines of a file that is refused, which must have changed nothing. */
async function refused(teamId: string, text: string, env: NodeJS.ProcessEnv = SECRETS) {
  const was = await contentOf(teamId);
  const { code, stdout, stderr } = await apply(teamId, text, { env });
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  assert.deepEqual(await contentOf(teamId), was);
  const lines = stderr.trimEnd().split('\n');
  assert.match(lines.pop() ?? '', /^belfry: ".*team\.yaml" has .*; nothing was changed\.$/);
  return lines;
}

const actionsOf = (json: unknown) =>
  (json as { steps: Json[] }).steps.map(({ action, kind, name }) => [action, kind, name]);

describe('team apply', () => {
  test("team apply creates the file's contents, with secrets from the environment", async () => {
    const teamId = await makeTeam();
    const { code, json, stderr } = await apply(teamId, FILE);
    assert.equal(code, 0, stderr);
    assert.deepEqual(actionsOf(json), [
      ['change', 'channel', 'slack'],
      ['create', 'queue', 'mails'],
      ['create', 'cron', 'Nightly'],
      ['create', 'window', 'Sundays'],
    ]);
    const content = await contentOf(teamId);
    assert.deepEqual(content.channel, { kind: 'slack', url: SECRETS.BELFRY_SECRET_CHANNEL });
    const [queue] = content.queues;
    assert.deepEqual(queue?.['retrySchedule'], [10, 300]);
    assert.deepEqual(queue['rate'], { count: 10, per: 'second' });
    const [cron] = content.crons;
    assert.deepEqual(cron?.['headers'], [
      ['X-Team', 'mails'],
      ['Authorization', SECRETS.BELFRY_SECRET_TOKEN],
    ]);
    assert.equal(cron?.['payload'], '{"kind": "full"}\n');
    assert.deepEqual(content.covered, ['Nightly,mails']);
  });

  test('team apply --dry-run prints the changes without secrets and makes none', async () => {
    const teamId = await makeTeam();
    const options = ['--dry-run'];
    const first = await apply(teamId, FILE, { options });
    assert.equal(actionsOf(first.json).length, 4);
    assert.deepEqual((await contentOf(teamId)).crons, []);
    await apply(teamId, FILE);
    const changed = FILE.replace('0 3', '0 4').replace('X-Team: mails', 'X-Team: reports');
    const env = { ...SECRETS, BELFRY_SECRET_TOKEN: 'Bearer other-hush' };
    const { code, json, stdout, stderr } = await apply(teamId, changed, { options, env });
    assert.equal(code, 0);
    assert.deepEqual(json, {
      dry_run: true,
      steps: [
        {
          action: 'change',
          kind: 'cron',
          name: 'Nightly',
          changes: [
            { field: 'cron_expression', from: '0 3 * * *', to: '0 4 * * *' },
            { field: 'headers.X-Team', from: 'mails', to: 'reports' },
            { field: 'headers.Authorization', from: '(secret)', to: '(secret)' },
          ],
        },
      ],
      unchanged: 3,
    });
    assert.doesNotMatch(stdout + stderr + first.stdout + first.stderr, /hush/);
    assert.equal((await contentOf(teamId)).crons[0]?.['cronExpression'], '0 3 * * *');
    const table = await apply(teamId, changed, { options: ['--dry-run', '--output', 'table'] });
    assert.match(table.stdout, /^ACTION +KIND +NAME +FIELD +FROM +TO\nchange +cron +Nightly /);
  });

  test('team apply leaves unnamed items and paused states unchanged', async () => {
    const teamId = await makeTeam();
    const other = await aCron(store, teamId, { name: 'Other' });
    await apply(teamId, FILE);
    const nightly = (await work.listCrons(teamId)).find(({ name }) => name === 'Nightly');
    const id = String(nightly?.id);
    await work.pauseCron(teamId, id);
    await work.setQueue(teamId, 'mails', { isPaused: true, timeoutSeconds: 99 });
    const { json } = await apply(teamId, FILE);
    assert.deepEqual(actionsOf(json), [['change', 'queue', 'mails']]);
    const queue = await work.findQueueByName(teamId, 'mails');
    assert.deepEqual([queue?.isPaused, queue?.timeoutSeconds], [true, 30]);
    assert.equal((await work.findCron(teamId, id))?.isActive, false);
    assert.deepEqual(await work.findCron(teamId, other.id), other);
    await apply(teamId, FILE.replace('alert_threshold', 'is_active: true\n    alert_threshold'));
    assert.equal((await work.findCron(teamId, id))?.isActive, true);
  });

  test('a file pauses until a time, changes nothing after it, and keeps pauses', async () => {
    const teamId = await makeTeam();
    const pausing = (time: string) =>
      FILE.replace('concurrency_limit', `paused_until: ${time}\n    concurrency_limit`).replace(
        'alert_threshold',
        `paused_until: ${time}\n    alert_threshold`,
      );
    const read = async () => {
      const queue = await work.findQueueByName(teamId, 'mails');
      const [cron] = await work.listCrons(teamId);
      return [queue?.isPaused, queue?.pausedUntil, cron?.isActive, cron?.pausedUntil];
    };
    const until = Date.parse('2099-12-31T18:00Z');
    await apply(teamId, pausing('2020-01-01 00:00'));
    assert.deepEqual(await read(), [false, null, true, null]);
    await apply(teamId, pausing('2099-12-31 18:00'));
    assert.deepEqual(await read(), [true, until, false, until]);
    for (const file of [pausing('2099-12-31 18:00'), FILE])
      assert.deepEqual(actionsOf((await apply(teamId, file)).json), []);
    const { stdout: text } = await run(open.config, ['team', 'export', '--team', teamId]);
    assert.match(text, /is_paused: true\n +paused_until: 2099-12-31 18:00/);
    await apply(teamId, pausing('2020-01-01 00:00'));
    assert.deepEqual(await read(), [false, null, true, null]);
  });

  const wrong: [what: string, text: string, lines: RegExp[]][] = [
    ['no YAML', 'version: 1\ncrons: [', [/^line \d+, column \d+: /]],
    [
      'a star without quotes',
      'version: 1\ncrons:\n  - name: a\n    cron_expression: */5 * * * *\n',
      [/^line 4, column 26: .* A text that begins with a star needs quotes\.$/],
    ],
    ['an empty file', '', [/^It must have fields: version, settings/, /^version: It must be 1/]],
    [
      'values that break rules, all of them',
      'version: 1\nqueues:\n  - name: a\n    timeout_seconds: 301\ncrons:\n  - name: b\n    url: ftp://x\n    cron_expression: 61 * * * *\n    headers: { a b: c, X: 5 }\n    assertions: [{ kind: nope }]\n',
      [
        /^queues\[0\]\.timeout_seconds \(line 4\): Timeout cannot exceed 300 seconds/,
        /^crons\[0\]\.url \(line 7\): The target URL must be a valid URL\.$/,
        /^crons\[0\]\.cron_expression \(line 8\): The cron expression is not a valid cron/,
        /^crons\[0\]\.headers\.a b \(line 9\): .* must have a valid HTTP header name\.$/,
        /^crons\[0\]\.headers\.X \(line 9\): The headers\.X field must be a string\.$/,
        /^crons\[0\]\.assertions \(line 10\): Assertion 1: its kind must be/,
      ],
    ],
    [
      'fields that are no text, at their lines',
      'version: 1\nqueue:\n  - name: a\nqueues:\n  - &a { name: a }\n  - <<: *a\n',
      [
        /^queue \(line 2\): There is no such field; there are version, settings, channel/,
        /^queues\[1\]\.<< \(line 6\): There is no such field/,
        /^queues\[1\]\.name \(line 6\): A queue name is required\.$/,
      ],
    ],
    [
      'two documents',
      'version: 1\n---\nversion: 1\n',
      [/^line 2, column 1: A team file has only one document\.$/],
    ],
    [
      'what is wrong with variables, fields and names',
      'version: 1\nchannel: { kind: slack, url: { env: BELFRY_SECRET_NONE } }\nqueues:\n  - { name: a, timeout_seconds: 301, failure_channels: [Nope] }\nmaintenance_windows:\n  - { name: w, covers: { crons: [nope], queues: [a] } }\n',
      [
        /^channel\.url \(line 2\): The environment variable BELFRY_SECRET_NONE is not set\.$/,
        /^queues\[0\]\.timeout_seconds \(line 4\): Timeout cannot exceed 300 seconds/,
        /^maintenance_windows\[0\]\.starts_at \(line 6\): /,
        /^maintenance_windows\[0\]\.ends_at \(line 6\): /,
        /^queues\[0\]\.failure_channels\[0\] \(line 4\): Neither the team nor/,
        /^maintenance_windows\[0\]\.covers\.crons\[0\] \(line 6\): Neither the team nor/,
      ],
    ],
    [
      'a name that two have',
      'version: 1\nqueues: [{ name: a }, { name: a }]',
      [/^queues\[1\]\.name \(line 2\): It is the name of queues\[0\] too\.$/],
    ],
    [
      'a variable that is no secret of a team',
      'version: 1\nchannel: { kind: slack, url: { env: APP_KEY } }',
      [/^channel\.url \(line 2\): env must name a variable that begins with BELFRY_SECRET_/],
    ],
  ];

  test('team apply rejects a wrong file with positions and changes nothing', async () => {
    const teamId = await makeTeam();
    for (const [what, text, expected] of wrong) {
      const lines = await refused(teamId, text, { ...SECRETS, APP_KEY: 'hush' });
      assert.equal(lines.length, expected.length, `${what}: ${lines.join('\n')}`);
      for (const [at, line] of expected.entries()) assert.match(lines[at] ?? '', line, what);
    }
  });

  test('team apply rejects a cron name that several crons have, and export warns of it', async () => {
    const teamId = await makeTeam();
    for (let n = 0; n < 2; n++) await aCron(store, teamId, { name: 'Nightly' });
    assert.deepEqual(await refused(teamId, FILE), [
      'crons[0].name (line 14): The team has 2 of this name; rename or delete the others first.',
    ]);
    const { code, stderr } = await run(open.config, ['team', 'export', '--team', teamId]);
    assert.equal(code, 0);
    assert.match(stderr, /^Apply refuses this file, .* the same name: crons "Nightly"\.\n/);
  });

  test('team apply rejects an endless YAML alias and a missing file', async () => {
    const bomb = ['version: 1', 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let n = 1; n <= 5; n++)
      bomb.push(
        `a${n}: &a${n} [${Array.from({ length: 10 })
          .fill(`*a${n - 1}`)
          .join()}]`,
      );
    const [line] = await refused(await makeTeam(), bomb.join('\n'));
    assert.match(line ?? '', /alias/i);
    const { code, stderr } = await run(open.config, words('team apply --team x /no/such.yaml'));
    assert.equal(code, 1);
    assert.match(stderr, /^belfry: "\/no\/such\.yaml" cannot be read \(ENOENT\)\.\n$/);
  });

  test('a team apply that fails midway prints the changes made, and continues when repeated', async () => {
    const id = await makeTeam();
    const times = { startsAt: realClock.now(), endsAt: realClock.now() + 3_600_000 };
    for (let n = 0; n < 200; n++)
      await work.createWindow(id, { name: `w${n}`, ...times, isWeekly: true, covers: 'team' });
    const { code, stdout, stderr } = await apply(id, FILE);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /^done: change the channel "slack"\ndone: create the queue "mails"\n/);
    assert.match(
      stderr,
      /belfry: 3 of 4 changes were made; the next failed: create the window "Sundays": the team has as many windows as it may have\. Apply the file again to go on\.\n$/,
    );
    const [window] = await work.listWindows(id);
    await work.deleteWindow(id, String(window?.id));
    assert.deepEqual(actionsOf((await apply(id, FILE)).json), [['create', 'window', 'Sundays']]);
  });
});

describe('channels', () => {
  const text = `
version: 1
channels:
  - { name: On call, kind: slack, url: { env: BELFRY_SECRET_CHANNEL }, collect_minutes: 5 }
queues:
  - { name: mails, failure_channels: [On call], remind_hours: 24, backlog_minutes: 10, failure_percent: 20 }
crons:
  - name: Nightly
    url: https://reports.test/run
    cron_expression: '@daily'
    failure_channels: [default, On call]
    recovery_channels: []
    alert_note: Ask the night shift
    runbook_url: https://wiki.test/nightly
    remind_hours: 6
    ends_at: 2999-12-31 18:00
    max_runs: 10
    stop_after: 12
    slow_seconds: 20
    certificate_alerts: true
`;
  test('team apply creates channels before the items that use them', async () => {
    const teamId = await makeTeam();
    const { code, stderr } = await apply(teamId, text);
    assert.equal(code, 0, stderr);
    const [, channel] = await work.listChannelSettings(teamId);
    const [cron] = await work.listCrons(teamId);
    const failure = ['default', channel?.id];
    const { channels } = cron?.alertSettings ?? {};
    assert.deepEqual(channels, { warning: ['default'], failure, recovery: [] });
    const exported = await run(open.config, ['team', 'export', '--team', teamId]);
    assert.ok(!exported.stdout.includes('hush-hush'));
    assert.match(exported.stdout, /BELFRY_SECRET_ON_CALL_URL/);
    const other = await makeTeam();
    const env = { BELFRY_SECRET_ON_CALL_URL: SECRETS.BELFRY_SECRET_CHANNEL };
    assert.equal((await apply(other, exported.stdout, { env })).code, 0);
    const [, theirs] = await work.listChannelSettings(other);
    assert.equal(theirs?.collectMinutes, 5);
    const [mails] = await work.listQueues(other);
    assert.deepEqual(mails?.watch, {
      backlog: { minutes: 10, jobs: null, pausedHours: null },
      failureRate: { percent: 20, attempts: 50 },
    });
    assert.equal(mails?.alertSettings.remindHours, 24);
    const [copy] = await work.listCrons(other);
    assert.deepEqual(copy?.end, { endsAt: Date.parse('2999-12-31T18:00Z'), maxRuns: 10 });
    assert.equal(copy?.stopAfter, 12);
    assert.deepEqual(copy?.alertSettings, {
      channels: { warning: ['default'], failure: [theirs?.id, 'default'], recovery: [] },
      note: 'Ask the night shift',
      runbookUrl: 'https://wiki.test/nightly',
      remindHours: 6,
      slowSeconds: 20,
      certificates: true,
    });
  });
});

describe('team export', () => {
  test('a team export makes another team equal and changes its own team not at all', async () => {
    const teamId = await makeTeam();
    await apply(teamId, FILE);
    await aQueue(store, teamId, {
      name: 'odd: "name"',
      retriesEnabled: false,
      rate: { count: 5, per: 'minute' },
      isPaused: true,
    });
    await aCron(store, teamId, {
      name: 'Zürich *',
      nextRunAt: null,
      payload: '  lines\n\ttabs ✓ \n',
      headers: [
        ['10', 'a'],
        ['2', 'b'],
        ['X-Api-Key', 'hush-hush'],
      ],
    });
    const { stdout, stderr } = await run(open.config, ['team', 'export', '--team', teamId]);
    assert.doesNotMatch(stdout + stderr, /hush/);
    const names = stdout.match(/BELFRY_SECRET_\w+/g) ?? [];
    const env: NodeJS.ProcessEnv = {
      BELFRY_SECRET_CHANNEL_URL: SECRETS.BELFRY_SECRET_CHANNEL,
      BELFRY_SECRET_NIGHTLY_AUTHORIZATION: SECRETS.BELFRY_SECRET_TOKEN,
      BELFRY_SECRET_ZU_RICH_X_API_KEY: 'hush-hush',
    };
    assert.deepEqual(new Set(names), new Set(Object.keys(env)));
    for (const name of Object.keys(env)) assert.ok(stderr.includes(name));
    assert.deepEqual(actionsOf((await apply(teamId, stdout, { env })).json), []);
    const other = await makeTeam();
    assert.equal((await apply(other, stdout, { env })).code, 0);
    assert.deepEqual(await contentOf(other), await contentOf(teamId));
  });
});

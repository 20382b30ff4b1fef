import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Json, run, useCommands, words } from '#testing/command-line';
import { before } from '#testing/hooks';

describe('§6.5 alerts and channels on the command line', () => {
  const env = { BELFRY_SECRET_SLACK: 'https://hooks.example/T000/B000/abcdefgh', OTHER: 'hush' };
  const team = ['--team', 'Acme'];

  const { open, printed, refused } = useCommands(env);
  const user = words('user create --email a@acme.test --password correct-horse --team Acme');
  before(() => printed(...user));

  const ADD = ['channel', 'add', ...team, '--name', 'On call', '--kind', 'slack'];

  test('channel add reads a secret from the environment and never prints it whole', async () => {
    const added = await printed(
      ...ADD,
      ...words('--url env:BELFRY_SECRET_SLACK --collect-minutes 5'),
    );
    assert.deepEqual(
      [added['name'], added['kind'], added['collect_minutes']],
      ['On call', 'slack', 5],
    );
    assert.doesNotMatch(JSON.stringify(added), /abcdefgh/);
    const [first, second, ...more] = await printed('channel', 'list', ...team);
    assert.deepEqual([first?.['id'], first?.['name'], first?.['kind']], ['default', null, 'email']);
    assert.deepEqual(second, added);
    assert.deepEqual(more, []);
  });

  test('an invalid channel is rejected in one line, without its secret', async () => {
    const elsewhere = 'https://hooks.example/other';
    for (const [url, more, line] of [
      ['env:OTHER', [], /^--url: .* must be a valid URL\.$/],
      [elsewhere, ['--chat-id', '-1'], /^--chat-id: A channel of kind slack has no such field/],
      ['env:BELFRY_SECRET_SLACK', [], /^it leads to the same place as On call\.$/],
      [elsewhere, [], /^the team has a channel "On call" already\.$/],
    ] as const)
      assert.match(await refused(...ADD, '--url', url, ...more), line);
  });

  test('channel test prints its result', async () => {
    const tested = await printed(...words('channel test --team Acme --name default'));
    assert.deepEqual(tested, { name: 'default', outcome: 'logged' });
    const blocked = ['--name', 'Inside', '--kind', 'webhook', '--url', 'http://127.0.0.1:9/'];
    await printed('channel', 'add', ...team, ...blocked);
    assert.match(
      await refused('channel', 'test', ...team, '--name', 'Inside'),
      /^the test was not sent: .*blocked/,
    );
    const entries = await printed('activity', 'list', ...team, '--area', 'notifications');
    const tests = entries.filter(({ action }: Json) => action === 'channel.tested');
    assert.deepEqual(
      tests.map(({ actor_id, detail }: Json) => [actor_id, detail]),
      [
        [null, 'Webhook at http://127.0.0.1:9'],
        [null, 'Email'],
      ],
    );
  });

  test('cron edit sets every alert option and leaves the others', async () => {
    const settings = '--expression @daily --remind-hours 6 --slow-seconds 20';
    const channelWords = ['--failure-channel', 'On call', '--failure-channel', 'default'];
    const cron = ['--name', 'Nightly', '--url', 'https://x.example/', '--alert-note', 'Ask Ada'];
    const words = [...cron, ...channelWords, '--no-warning-channels', ...settings.split(' ')];
    const made: Json = await printed('cron', 'create', ...team, ...words);
    const channels = await printed('channel', 'list', ...team);
    const onCall = channels.find(({ name }) => name === 'On call');
    assert.deepEqual(made['alert_channels'], { warning: [], failure: [onCall?.['id'], 'default'] });
    const id = String(made['id']);
    const edit = ['cron', 'edit', '--id', id];
    const edited = await printed(...edit, '--no-slow-seconds', '--no-alert-note');
    assert.deepEqual(edited, { ...made, slow_seconds: null, alert_note: null });
    const nowhere = await refused(...edit, '--failure-channel', 'Nowhere');
    assert.equal(nowhere, '--failure-channel: There is no such channel.');
  });

  test('a cron that duplicates another is saved with a line about the other', async () => {
    const words = ['--url', 'https://twice.example/', '--expression'];
    const create = (name: string, expression: string) =>
      run(open.config, ['cron', 'create', ...team, '--name', name, ...words, expression], { env });
    const first = await create('First\nof two', '0 0 * * *');
    assert.equal(first.stderr, '');
    const { id } = first.json as Json;
    const warning = `belfry: warning: the cron "First of two" (${String(id)}) has the same URL and schedule.\n`;
    const second = await create('Second', '@daily');
    assert.deepEqual([second.code, second.stderr], [0, warning]);
    const third = await printed('cron', 'create', ...team, '--name', 'Third', ...words, '@hourly');
    const edit = ['cron', 'edit', '--id', String(third['id'])];
    const edited = await run(open.config, [...edit, '--expression', '0 0 * * ?'], { env });
    assert.deepEqual([edited.code, edited.stderr], [0, warning]);
    await printed(...edit, '--name', 'Still the third');
  });

  test('queue set sets and removes alerts about the whole queue', async () => {
    const set = ['queue', 'set', ...team, '--queue', 'watched'];
    const rules = async (...options: string[]) => {
      const queue = await printed(...set, ...options);
      const names = ['minutes', 'jobs', 'paused_hours'].map((name) => `backlog_${name}`);
      return [...names, 'failure_percent', 'failure_attempts'].map((name) => queue[name]);
    };
    assert.deepEqual(await rules('--failure-attempts', '100'), [null, null, null, null, 100]);
    const backlog = ['--backlog-minutes', '10', '--backlog-jobs', '500'];
    assert.deepEqual(await rules(...backlog, '--failure-percent', '20'), [10, 500, null, 20, 100]);
    const fewer = ['--no-backlog-minutes', '--no-failure-percent', '--backlog-paused-hours', '4'];
    assert.deepEqual(await rules(...fewer), [null, 500, 4, null, 100]);
    assert.equal(
      await refused(...set, '--backlog-minutes', '0'),
      '--backlog-minutes: A job may be overdue by 1 to 10080 minutes.',
    );
  });

  test("a removed channel is replaced by the default channel, which can't be removed", async () => {
    await printed('channel', 'remove', ...team, '--name', 'On call');
    const names = (await printed('channel', 'list', ...team)).map(({ name }) => name);
    assert.deepEqual(names, [null, 'Inside']);
    assert.match(
      await refused('channel', 'remove', ...team, '--name', 'default'),
      /^the default channel stays\.$/,
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useCommands, words } from '#testing/command-line';

describe('commands of crons', () => {
  const { open, printed, refused } = useCommands();
  const team = ['--team', 'Acme'];

  let made = 0;
  /** Each has a URL of its own, since a command tells of a cron that does what another does. */
  const create = () => [
    ...words(`cron create --team Acme --name Nightly --url http://target.test/n${++made}`),
    '--expression',
    '0 3 * * *',
  ];

  test('cron create makes a cron like the API', async () => {
    const options =
      '--method POST --payload plain --timeout 9 --alert-threshold 2 --header X-Team:a';
    const cron = await printed(...create(), ...words(options));
    const stored = await open.store.crons.find(open.teamId, String(cron['id']));
    assert.deepEqual(
      [stored?.method, stored?.payload, stored?.timeoutSeconds, stored?.alertThreshold],
      ['POST', 'plain', 9, 2],
    );
    assert.deepEqual([stored?.headers, cron['is_active']], [[['X-Team', 'a']], true]);
  });

  test('cron edit changes the given fields only', async () => {
    const options =
      '--header X-Team:a --payload p --alert-threshold 1 --callback-url http://target.test/done --paused';
    const id = String((await printed(...create(), ...words(options)))['id']);
    const edit = ['cron', 'edit', '--id', id];
    const was = await open.store.crons.find(open.teamId, id);
    await printed(...edit, '--name', 'Renamed');
    const renamed = { ...was, name: 'Renamed' };
    assert.deepEqual(await open.store.crons.find(open.teamId, id), renamed);
    const none = words('--no-headers --no-payload --no-callback-url --no-alert-threshold');
    await printed(...edit, ...none);
    const bare = { headers: [], payload: null, callbackUrl: null, alertThreshold: null };
    assert.deepEqual(await open.store.crons.find(open.teamId, id), { ...renamed, ...bare });
  });

  test('cron list can be filtered by tag', async () => {
    const { id } = await printed(...create(), '--tag', 'Night', '--tag', 'eu');
    const edit = ['cron', 'edit', '--id', String(id)];
    assert.deepEqual((await printed(...edit, '--tag', 'us', '--tag', 'night'))['tags'], [
      'night',
      'us',
    ]);
    const listed = await printed('cron', 'list', ...team, '--tag', 'NIGHT');
    assert.deepEqual(
      listed.map((cron) => cron['id']),
      [id],
    );
    assert.deepEqual(await printed('cron', 'list', ...team, '--tag', 'nigh'), []);
    assert.deepEqual((await printed(...edit, '--no-tags'))['tags'], []);
    assert.match(await refused(...edit, '--tag', 'two words'), /^--tag: "two words" can be no tag/);
  });

  test('cron tag adds and removes tags; mute and unmute print the time', async () => {
    const { id } = await printed(...create(), '--tag', 'eu');
    const of = ['--id', String(id)];
    const tagged = await printed('cron', 'tag', ...of, '--add', 'Night', '--remove', 'eu');
    assert.deepEqual(tagged['tags'], ['night']);
    const again = await refused('cron', 'tag', ...of, '--add', 'night');
    assert.equal(again, 'nothing was changed: it had the tag already.');
    const gone = await refused('cron', 'tag', ...of, '--remove', 'eu');
    assert.equal(gone, 'nothing was changed: it did not have the tag.');
    const muted = await printed('cron', 'mute', ...of, '--hours', '8');
    assert.match(String(muted['muted_until']), /^\d{4}-/);
    assert.match(await refused('cron', 'mute', ...of), /it is muted for as long or longer/);
    assert.match(await refused('cron', 'mute', ...of, '--hours', '721'), /^--hours: /);
    assert.deepEqual(await printed('cron', 'unmute', ...of), { id, muted_until: null });
    assert.equal(await refused('cron', 'unmute', ...of), 'nothing was changed: it was not muted.');
  });

  test('cron pause, resume and delete print the cron', async () => {
    const { id } = await printed(...create());
    const verb = (name: string) => printed('cron', name, '--id', String(id));
    assert.deepEqual((await verb('pause'))['next_run_at'], null);
    assert.equal((await verb('resume'))['is_active'], true);
    assert.equal((await verb('delete'))['id'], id);
    assert.equal(await open.store.crons.find(open.teamId, String(id)), null);
  });

  test('cron create and edit reject the same values as the API and name the options', async () => {
    assert.match(
      await refused('cron', 'create', ...team),
      /^--name: A name .* --url: .* --expression: A cron expression is required\.$/,
    );
    const { id } = await printed(...create());
    const edit = ['cron', 'edit', '--id', String(id)];
    assert.match(await refused(...edit, '--expression', '61 * * * *'), /^--expression: The cron/);
    assert.match(await refused(...edit, '--name', ''), /^--name is empty\.$/);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run, useCommands, words } from '#testing/command-line';
import { aCron, aJob } from '#testing/factories';

describe('commands of everything that a team has', () => {
  const team = ['--team', 'Acme'];
  const env = { HOOK: 'https://hooks.example/T000/B000/abcdefgh' };
  const { open, printed, refused } = useCommands(env);

  test('show prints the record of a cron, queue, channel or window', async () => {
    const { id } = await aCron(open.store, open.teamId, { name: 'Shown' });
    const cron = await printed('cron', 'show', '--id', id);
    const crons = await printed('cron', 'list', ...team);
    assert.deepEqual(
      cron,
      crons.find((each) => each['id'] === id),
    );
    const set = await printed('queue', 'set', ...team, '--queue', 'shown');
    assert.deepEqual(await printed('queue', 'show', ...team, '--queue', 'shown'), set);
    const unknown = await refused('queue', 'show', ...team, '--queue', 'nowhere');
    assert.equal(unknown, 'the team "Acme" has no queue "nowhere".');
  });

  test('queue rename keeps the jobs and rejects a name in use', async () => {
    await printed('queue', 'set', ...team, '--queue', 'taken');
    const { jobId } = await aJob(open.store, open.teamId, { queue: 'before', delaySeconds: 60 });
    const rename = ['queue', 'rename', ...team, '--queue', 'before', '--to'];
    assert.equal(await refused(...rename, 'taken'), 'the team has a queue "taken" already.');
    assert.match(await refused(...rename, 'x'.repeat(256)), /^--to: The name field must not be/);
    const renamed = await printed(...rename, 'after');
    assert.equal(renamed['name'], 'after');
    assert.equal((await printed('job', 'show', '--id', jobId))['queue'], 'after');
  });

  test('queue delete needs a confirmation and deletes the jobs', async () => {
    const { jobId } = await aJob(open.store, open.teamId, { queue: 'gone', delaySeconds: 60 });
    const remove = ['queue', 'delete', ...team, '--queue', 'gone'];
    const warned = await refused(...remove);
    assert.equal(warned, 'this deletes the queue with its jobs; add --yes to confirm.');
    const deleted = await printed(...remove, '--yes');
    assert.deepEqual([deleted['name'], deleted['jobs_deleted']], ['gone', 1]);
    assert.equal(await open.store.jobs.find(open.teamId, jobId), null);
  });

  test('channel edit keeps the secret, and rename changes the name', async () => {
    const of = ['--name', 'On call'];
    await printed('channel', 'add', ...team, ...of, '--kind', 'slack', '--url', 'env:HOOK');
    const edited = await printed('channel', 'edit', ...team, ...of, '--collect-minutes', '7');
    assert.deepEqual([edited['kind'], edited['collect_minutes']], ['slack', 7]);
    const [, stored] = await open.store.channels.list(open.teamId);
    assert.deepEqual(stored?.config, { kind: 'slack', url: env.HOOK });
    const renamed = await printed('channel', 'rename', ...team, ...of, '--to', 'Night');
    assert.deepEqual([renamed['name'], renamed['collect_minutes']], ['Night', 7]);
    const first = ['channel', 'rename', ...team, '--name', 'default', '--to', 'Other'];
    assert.equal(await refused(...first), 'the default channel keeps its name.');
    const webhook = ['--kind', 'webhook', '--url', 'https://hooks.example/default'];
    const changed = await printed('channel', 'edit', ...team, '--name', 'default', ...webhook);
    assert.deepEqual([changed['id'], changed['kind']], ['default', 'webhook']);
  });

  test('window create, edit and delete change maintenance windows', async () => {
    await printed('queue', 'set', ...team, '--queue', 'mails');
    const times = ['--starts-at', '2999-11-21 22:00', '--ends-at', '2999-11-22 02:00'];
    const create = ['window', 'create', ...team, '--name', 'Move', ...times];
    assert.match(await refused(...create, '--covers', 'mails'), /^--covers: It must be team, /);
    assert.match(await refused(...create, '--covers', 'cron:none'), /has no cron "none"\.$/);
    const made = await printed(...create, '--covers', 'queue:mails', '--weekly');
    const { id, starts_at, covers, is_weekly } = made;
    assert.deepEqual(
      [starts_at, covers, is_weekly],
      ['2999-11-21T22:00:00.000+00:00', { crons: [], queues: ['mails'] }, true],
    );
    const of = [...team, '--name', 'Move'];
    const late = await refused('window', 'edit', ...of, '--ends-at', '2999-11-21 21:00');
    assert.equal(late, '--ends-at: The end must be after the start.');
    const edited = await printed('window', 'edit', ...of, '--once', '--covers', 'team');
    assert.deepEqual(edited, Object.assign({}, made, { is_weekly: false, covers: 'team' }));
    const pausing = await printed('window', 'edit', ...of, '--pause-runs');
    assert.equal(pausing['pauses_runs'], true);
    assert.deepEqual(await printed('window', 'edit', ...of, '--keep-runs'), edited);
    await printed('window', 'create', ...of, ...times);
    assert.match(await refused('window', 'show', ...of), /^several windows are named "Move"; /);
    const one = [...team, '--name', id as string];
    assert.deepEqual(await printed('window', 'show', ...one), edited);
    assert.deepEqual(await printed('window', 'delete', ...one), edited);
    assert.equal((await printed('window', 'list', ...team)).length, 1);
  });

  describe('edit-all', () => {
    const all = ['cron', 'edit-all', ...team];
    const planned = async (...argv: string[]) => {
      const { code, json } = await run(open.config, argv, { env });
      assert.equal(code, 0);
      return json as { dry_run: boolean; steps: Record<string, unknown>[]; unchanged: number };
    };
    const at = (url: string, name: string, tags: string[] = []) =>
      aCron(open.store, open.teamId, { name, url, tags });

    test('edit-all replaces the host of URLs and prints the difference', async () => {
      const { id } = await at('https://Old.example:8443/a?b=old.example', 'Moved');
      await at('https://other.example/', 'Stays');
      const host = [...all, '--host', 'old.example=new.example'];
      const dry = await planned(...host, '--dry-run');
      const from = 'https://Old.example:8443/a?b=old.example';
      const to = 'https://new.example:8443/a?b=old.example';
      assert.deepEqual(dry.steps, [
        { action: 'change', kind: 'cron', name: 'Moved', changes: [{ field: 'url', from, to }] },
      ]);
      assert.equal((await open.store.crons.find(open.teamId, id))?.url, from);
      await planned(...host);
      assert.equal((await open.store.crons.find(open.teamId, id))?.url, to);
      await planned(...all, '--host', 'new.example:8443=last.example');
      const last = await open.store.crons.find(open.teamId, id);
      assert.equal(last?.url, 'https://last.example/a?b=old.example');
    });

    test('edit-all changes those that match every filter, and leaves the rest', async () => {
      const eu = await at('https://a.filter.example/', 'A', ['eu']);
      const us = await at('https://b.filter.example/', 'B', ['us']);
      const where = ['--where', 'tags=eu', '--where', 'host=a.filter.example'];
      const set = ['--timeout', '7', '--add-tag', 'Slow', '--remove-tag', 'eu'];
      const { steps } = await planned(...all, ...where, ...set);
      assert.deepEqual(steps, [
        {
          action: 'change',
          kind: 'cron',
          name: 'A',
          changes: [
            { field: 'timeout_seconds', from: eu.timeoutSeconds, to: 7 },
            { field: 'tags', from: ['eu'], to: ['slow'] },
          ],
        },
      ]);
      assert.deepEqual(await open.store.crons.find(open.teamId, us.id), us);
      const changed = { ...eu, timeoutSeconds: 7, tags: ['slow'] };
      assert.deepEqual(await open.store.crons.find(open.teamId, eu.id), changed);
    });

    test('edit-all changes queues and their channels', async () => {
      await printed('queue', 'set', ...team, '--queue', 'bulk', '--timeout', '9');
      const bulk = ['--where', 'timeout_seconds=9', '--no-failure-channels'];
      const { steps } = await planned('queue', 'edit-all', ...team, ...bulk);
      const changes = [{ field: 'failure_channels', from: ['default'], to: [] }];
      assert.deepEqual(steps, [{ action: 'change', kind: 'queue', name: 'bulk', changes }]);
    });

    test('edit-all stops at a cron with unreadable headers and lists the changes before it', async () => {
      const first = await at('https://stop.example/1', 'Stop 1', ['stop']);
      const { id } = await at('https://stop.example/2', 'Stop 2', ['stop']);
      const damage = `update crons set sealed_headers = 'v1.elsewhere' where id = '${id}'`;
      await open.store.database.autocommit(damage);
      const edit = [...all, '--where', 'tags=stop', '--timeout', '8'];
      const { code, stdout, stderr } = await run(open.config, edit, { env });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^done: change the cron "Stop 1"\nbelfry: 1 of 2 changes were made; /);
      assert.match(stderr, /cannot be edited as it is: .* Run the command again to go on\.\n$/);
      assert.equal((await open.store.crons.find(open.teamId, first.id))?.timeoutSeconds, 8);
      await printed('cron', 'delete', '--id', id);
    });

    test('edit-all rejects unclear filters and invalid values, and changes nothing', async () => {
      await at('https://tagged.example/', 'Tagged');
      const before = await printed('cron', 'list', ...team);
      for (const [options, line] of [
        ['--timeout 9', /^say which crons to change/],
        ['--all', /^give the values that change/],
        ['--where headers=x', /^--where: It must be FIELD=/],
        ['--host old', /^--host: It must be OLD=NEW/],
        ['--all --timeout 301', /^--timeout: /],
      ] as const)
        assert.match(await refused(...all, ...words(options)), line);
      assert.deepEqual(await printed('cron', 'list', ...team), before);
    });
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run, useCommands, words } from '#testing/command-line';
import { aDeadLetter, aJob, aNode } from '#testing/factories';

describe('commands of jobs', () => {
  const { open, printed, refused } = useCommands();
  const team = ['--team', 'Acme'];

  test('a table of a record has a line for each field of its parts, and no JSON', async () => {
    const { store, teamId } = open;
    const { id } = await aDeadLetter(store, teamId, await aNode(store), { queue: 'failed' });
    const job = await run(open.config, ['job', 'show', '--id', id, '--output', 'table']);
    assert.match(job.stdout, /^explanation\.title +The target answered 503 Service Unavailable$/m);
    assert.match(job.stdout, /^explanation\.next_step +Check the target's logs/m);
    assert.match(job.stdout, /^explanation\.use_url +-$/m);
    assert.doesNotMatch(job.stdout, /[[{]/);
  });

  describe('job edit', () => {
    const make = async () => {
      const headers = [['X-Team', 'mails']] as const;
      const job = { payload: '{"a": 1.0}', headers, delaySeconds: 3600 };
      return (await aJob(open.store, open.teamId, job)).jobId;
    };

    test('job edit changes the given fields and leaves the rest', async () => {
      const id = await make();
      const before = await open.store.jobs.find(open.teamId, id);
      const edited = await printed('job', 'edit', '--id', id, '--url', 'http://target.test/new');
      const after = await open.store.jobs.find(open.teamId, id);
      assert.deepEqual(after, { ...before, url: edited['url'] });
      assert.equal(after.url, 'http://target.test/new');
      await printed('job', 'edit', '--id', id, '--no-payload', '--no-headers');
      const bare = await open.store.jobs.find(open.teamId, id);
      assert.deepEqual([bare?.payload, bare?.headers], [null, []]);
      const [entry] = await open.store.activity.list(open.teamId, { subjectId: id, limit: 1 });
      assert.deepEqual([entry?.actor, entry?.detail], ['Command line', 'headers, payload']);
    });

    test('job edit rejects invalid values and changes nothing', async () => {
      const made = await make();
      const before = await open.store.jobs.find(open.teamId, made);
      const edit = ['job', 'edit', '--id', made];
      assert.match(await refused(...edit, '--at', '2099-01-01 00:00'), /24 hours at most/);
      assert.match(await refused(...edit, '--at', 'soon'), /^--at: It must be a date/);
      assert.match(await refused(...edit, '--queue', 'nowhere'), /no queue "nowhere"/);
      assert.deepEqual(await open.store.jobs.find(open.teamId, made), before);
      const id = await make();
      const damage = `update jobs set sealed_headers = 'v1.elsewhere' where id = '${id}'`;
      await open.store.database.autocommit(damage);
      const blind = ['job', 'edit', '--id', id, '--url', 'http://target.test/new'];
      assert.match(await refused(...blind), /can't be opened .* anew with --header/);
    });
  });

  describe('job create', () => {
    const create = ['job', 'create', ...team, '--queue', 'made', '--url', 'http://target.test/a'];

    test('job create makes a job like the API, with its payload as written', async () => {
      const payload = '{"b": 1.0, "1": 9007199254740993}';
      const job = await printed(
        ...create,
        ...words('--method PUT --delay 3600 --callback-url http://target.test/done'),
        ...words('--header X-Team:mails --header'),
        'Authorization: Bearer: x',
        '--payload',
        payload,
      );
      assert.deepEqual([job['status'], job['method']], ['pending', 'PUT']);
      const stored = await open.store.jobs.find(open.teamId, String(job['id']));
      assert.equal(stored?.payload, payload);
      assert.deepEqual(stored?.headers, [
        ['X-Team', 'mails'],
        ['Authorization', 'Bearer: x'],
      ]);
      assert.equal(stored?.callbackUrl, 'http://target.test/done');
      assert.ok(stored.scheduledAt - stored.createdAt === 3_600_000);
    });

    test('job create rejects wrong values by the name of their option and makes no job', async () => {
      const before = await open.store.jobs.list(open.teamId, { limit: 1 });
      for (const [option, value, line] of [
        ['--payload', '{"a":1},"url":"http://x"', /^--payload: It must be written as JSON/],
        ['--header', 'no colon', /^--header: It must be a name, a colon and a value\.$/],
        ['--delay', '86401', /^--delay: The delay cannot exceed/],
      ] as const)
        assert.match(await refused(...create, option, value), line);
      assert.deepEqual(await open.store.jobs.list(open.teamId, { limit: 1 }), before);
    });
  });
});

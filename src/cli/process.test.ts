import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { startReceiver } from '#testing/receiver';
import { eventually, forEachDatabase, runBelfry, startBelfry, UNDER_TEST } from '#testing/process';

type Json = Record<string, unknown>;

forEachDatabase((_name, makeDatabaseUrl) => {
  test('commands set up a team and follow its work while the service runs', async () => {
    await using target = await startReceiver();
    target.answer('/fine', { body: 'fine' });
    await using belfry = await startBelfry({ databaseUrl: await makeDatabaseUrl() });
    const print = async (...args: string[]) => {
      const { code, json, stderr } = await belfry.cliProcess(...args);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      return json as Json & Json[];
    };
    const create = async (kind: string, body: object) => {
      const response = await fetch(`${belfry.url}/api/${kind}`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${String(user['apiToken'])}`,
          'Content-Type': 'application/json',
          Accept: 'application/json',
        },
        body: JSON.stringify(body),
      });
      assert.equal(response.status, 201);
      return (await response.json()) as Json;
    };
    const user = await print(
      ...'user create --email ada@acme.test --password correct-horse --team Acme'.split(' '),
    );

    const job = await create('jobs', { queue: 'mails', url: `${target.url}/fine`, delay: 3600 });
    await print('job', 'fire', '--id', String(job['job_id']));
    const sent = await target.next();
    assert.equal(sent.url, '/fine');
    const shown = await eventually(async () => {
      const record = await print('job', 'show', '--id', String(job['job_id']));
      return record['status'] === 'success' && record;
    });
    assert.deepEqual([shown['response_status'], shown['response_body']], [200, 'fine']);

    const cron = await create('crons', {
      name: 'Report',
      url: `${target.url}/report`,
      cron_expression: '@yearly',
      is_active: false,
    });
    await print('cron', 'run', '--id', String(cron['id']));
    assert.equal((await target.next()).url, '/report');
    const [execution] = await eventually(async () => {
      const list = await print('execution', 'list', '--cron', String(cron['id']));
      return list[0]?.['status'] === 'success' && list;
    });
    assert.equal(execution?.['scheduled_for'], null);
  });
});

describe('the process', () => {
  test('a rejected command exits with 1 and one line', async () => {
    const { code, stdout, stderr } = await runBelfry(['job', 'list', '--team', 'Nobody']);
    assert.deepEqual(
      { code, stdout, stderr },
      { code: 1, stdout: '', stderr: 'belfry: there is no team "Nobody".\n' },
    );
  });

  test('every command exits with 2 on a wrong setting', async () => {
    const { code, stderr } = await runBelfry(['team', 'list'], { env: { PLANS: 'free' } });
    assert.equal(code, 2);
    assert.match(stderr, /^belfry: PLANS: [^\n]*\n$/);
  });

  test('a password is read from standard input without its line break', () => {
    const create = (input: string) => {
      const [file, ...first] = UNDER_TEST;
      const words = 'user create --email ada@acme.test --password -'.split(' ');
      const env = { PATH: process.env['PATH'] };
      return spawnSync(file, [...first, ...words], {
        cwd: makeFolder(),
        env,
        input,
        encoding: 'utf8',
      });
    };
    assert.match(create('1234567\n').stderr, /^belfry: --password: Use at least 8 characters\.\n$/);
    assert.equal(create('').stderr, 'belfry: --password is empty.\n');
    const { status, stderr } = create('12345678\r\n');
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  });

  test('headers are read from standard input, one on each line', () => {
    const cwd = makeFolder();
    const runWith = (words: string[], input: string) => {
      const [file, ...first] = UNDER_TEST;
      const env = { PATH: process.env['PATH'] };
      return spawnSync(file, [...first, ...words], { cwd, env, input, encoding: 'utf8' });
    };
    const user = 'user create --email ada@acme.test --password - --team Acme'.split(' ');
    assert.equal(runWith(user, 'correct-horse').status, 0);
    const cron = 'cron create --team Acme --name A --url https://a.test --expression @daily';
    const headers = ['--header', 'X-First: 1', '--header', '-'];
    const made = runWith([...cron.split(' '), ...headers], 'X-Team: mails\r\nX-Last: 3\n');
    assert.deepEqual([made.status, made.stderr], [0, '']);
    const { stdout } = runWith('team export --team Acme'.split(' '), '');
    assert.match(stdout, /headers:\n +X-First: "1"\n +X-Team: mails\n +X-Last: "3"\n/);
  });

  test('help prints the commands', async () => {
    const { code, stdout, stderr } = await runBelfry(['help']);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    for (const word of ['user', 'team', 'queue', 'cron', 'job', 'execution', 'doctor']) {
      assert.match(stdout, new RegExp(`^  ${word} `, 'm'));
    }
  });
});

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { postJson } from '#testing/client';
import { makeFolder } from '#testing/guard';
import { startReceiver } from '#testing/receiver';
import { eventually, runOperator, startBelfry, UNDER_TEST } from '#testing/process';

type Json = Record<string, unknown>;

test('commands set up a team and start its work next to the service, on one SQLite file', async () => {
  await using target = await startReceiver();
  target.answer('/fine', { body: 'fine' });
  await using belfry = await startBelfry();
  const print = async (...args: string[]) => {
    const { code, json, stderr } = await belfry.cliProcess(...args);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    return json as Json & Json[];
  };
  const user = await print(
    ...'user create --email ada@acme.test --password correct-horse --team Acme'.split(' '),
  );

  const body = { queue: 'mails', url: `${target.url}/fine`, delay: 3600 };
  const { json: job } = await postJson(`${belfry.url}/api/jobs`, String(user['apiToken']), body);
  await print('job', 'fire', '--id', String(job['job_id']));
  const sent = await target.next();
  assert.equal(sent.url, '/fine');
  const show = async () => {
    const { json } = await belfry.cli('job', 'show', '--id', String(job['job_id']));
    return json as Json;
  };
  await eventually(async () => (await show())['status'] === 'success');
  const shown = await show();
  assert.deepEqual([shown['response_status'], shown['response_body']], [200, 'fine']);
});

describe('the process', () => {
  const folder = makeFolder();
  const runIn = (cwd: string) => (words: string, input: string) => {
    const [file, ...first] = UNDER_TEST;
    const env = { PATH: process.env['PATH'] };
    return spawnSync(file, [...first, ...words.split(' ')], { cwd, env, input, encoding: 'utf8' });
  };

  test('a password is read from standard input without its line break, or refused in one line', () => {
    const create = (input: string) =>
      runIn(folder)('user create --email ada@acme.test --password - --team Acme', input);
    const made = String.raw`belfry: there was no database at [^\n]+, so it was made now\.\n`;
    const empty = create('');
    assert.deepEqual([empty.status, empty.stdout], [1, '']);
    assert.equal(empty.stderr, 'belfry: --password is empty.\n');
    const refused = new RegExp(`^${made}belfry: --password: Use at least 8 characters\\.\n$`);
    assert.match(create('1234567\n').stderr, refused);
    const { status, stderr } = create('12345678\r\n');
    assert.deepEqual([status, stderr], [0, '']);
  });

  test('a command ends with 141 if the reader of its output has gone, and with a line if the disk is full', async (t) => {
    const [file, ...first] = UNDER_TEST;
    const cut = spawn(file, [...first, 'help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    cut.stdout.destroy();
    const [stderr, [code]] = await Promise.all([text(cut.stderr), once(cut, 'exit')]);
    assert.deepEqual([code, stderr], [141, '']);
    if (!existsSync('/dev/full')) return t.skip('there is no /dev/full');
    const full = openSync('/dev/full', 'w');
    const filled = spawnSync(file, [...first, 'help'], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    const line = /^belfry: the output cannot be written: ENOSPC[^\n]+\n$/;
    assert.match(filled.stderr.toString(), line);
    assert.equal(filled.status, 1);
  });

  test('headers are read from standard input, one on each line', async () => {
    const cron = 'cron create --team Acme --name A --url https://a.test --expression @daily';
    const headers = '--header X-First:1 --header -';
    const made = runIn(folder)(`${cron} ${headers}`, 'X-Team: mails\r\nX-Last: 3\n');
    assert.deepEqual([made.status, made.stderr], [0, '']);
    const place = { folder, databaseUrl: `sqlite:${folder}/data/belfry.db` };
    const { stdout } = await runOperator(['team', 'export', '--team', 'Acme'], place);
    assert.match(stdout, /headers:\n +X-First: "1"\n +X-Team: mails\n +X-Last: "3"\n/);
  });
});

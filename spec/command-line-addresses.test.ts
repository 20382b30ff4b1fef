import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Config } from '#config/config';
import { commandsOf, configOf, type Json, run, words } from '#testing/command-line';
import { makeFolder } from '#testing/guard';
import { type SmtpReceiver, startSmtpServer } from '#testing/smtp';

describe('§6.5 email addresses of channels on the command line and in a team file', () => {
  const folder = makeFolder();
  let smtp: SmtpReceiver;
  let config: Config;
  const { printed, refused } = commandsOf(() => config);
  const acme = ['--team', 'Acme'];

  before(async () => {
    smtp = await startSmtpServer();
    config = configOf(`sqlite:${path.join(folder, 'belfry.db')}`, { SMTP_URL: smtp.url });
    await printed('migrate');
    for (const name of ['Acme', 'Copy']) {
      const user = `--email ${name}@acme.test --password correct-horse --team ${name}`;
      await printed('user', 'create', ...words(user));
    }
  });
  after(() => smtp.close());

  const linksTo = (email: string) => smtp.mails.filter(({ to }) => to.includes(email));
  const statesOf = ({ addresses }: Json) =>
    (addresses as Json[]).map(({ email, state }) => [email, state]);
  const show = (name: string, team = acme): Promise<Json> =>
    printed('channel', 'show', ...team, '--name', name);

  test('channel add mails each address its link before the command ends', async () => {
    const emails = ['--address', 'Night@Ops.test', '--address', 'day@ops.test'];
    const kind = ['--name', 'On call', '--kind', 'email-addresses'];
    const added = await printed('channel', 'add', ...acme, ...kind, ...emails);
    assert.deepEqual(statesOf(added), [
      ['day@ops.test', 'waiting'],
      ['night@ops.test', 'waiting'],
    ]);
    assert.deepEqual([linksTo('day@ops.test').length, linksTo('night@ops.test').length], [1, 1]);
  });

  test('channel edit keeps addresses unless it names others', async () => {
    const edit = ['channel', 'edit', ...acme, '--name', 'On call'];
    const before = await show('On call');
    const collecting = await printed(...edit, '--collect-minutes', '5');
    assert.deepEqual(collecting, { ...before, collect_minutes: 5 });
    const edited = await printed(
      ...edit,
      ...words('--address day@ops.test --address new@ops.test'),
    );
    assert.deepEqual(statesOf(edited), [
      ['day@ops.test', 'waiting'],
      ['new@ops.test', 'waiting'],
    ]);
    assert.deepEqual([linksTo('day@ops.test').length, linksTo('new@ops.test').length], [1, 1]);
  });

  test('a team file has the addresses, which another team has confirmed again', async () => {
    const { stdout } = await run(config, ['team', 'export', ...acme]);
    assert.match(stdout, /kind: email-addresses\n +addresses:\n +- day@ops\.test\n/);
    const file = path.join(folder, 'team.yaml');
    fs.writeFileSync(file, stdout);
    const apply = async (team: string, ...more: string[]) => {
      const { code, json } = await run(config, ['team', 'apply', '--team', team, file, ...more]);
      assert.equal(code, 0);
      return (json as { steps: Json[] }).steps;
    };
    const { length } = smtp.mails;
    assert.deepEqual(await apply('Acme'), [], 'nothing differs');
    await apply('Copy', '--dry-run');
    assert.equal(smtp.mails.length, length, 'neither of these mails anybody');
    await apply('Copy');
    const copied = await show('On call', ['--team', 'Copy']);
    assert.deepEqual(statesOf(copied), [
      ['day@ops.test', 'waiting'],
      ['new@ops.test', 'waiting'],
    ]);
    assert.deepEqual(
      smtp.mails.slice(length).map(({ to }) => to.join()),
      ['day@ops.test', 'new@ops.test'],
    );
  });

  test('channel resend mails a link again, three times a day', async () => {
    const resend = ['channel', 'resend', ...acme, '--name', 'On call', '--address'];
    for (let n = 0; n < 2; n++)
      assert.equal((await printed(...resend, 'New@ops.test'))['outcome'], 'sent');
    assert.equal(linksTo('new@ops.test').length, 4, 'one of each team, and two');
    assert.match(await refused(...resend, 'new@ops.test'), /^it got too many links; try again in /);
  });
});

/** §6.4, with real certificates and the service as a process, whose trust comes from its environment. The store has tests on both databases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthority } from '#testing/certificates';
import { startDnsServer } from '#testing/dns-server';
import { eventually, startBelfry } from '#testing/process';
import { startTlsReceiver } from '#testing/receiver';
import { makeClient, postJob, setQueue, signIn, TEAM, untilEnded } from '#testing/remote';

const DAY_MS = 86_400_000;

test('a certificate that ends soon is shown and alerted once, until it is renewed', async () => {
  const authority = await createAuthority();
  await using dns = await startDnsServer();
  dns.answer('tls.test', ['127.0.0.1']);
  const issue = (days: number) =>
    authority.issue({
      hosts: ['tls.test'],
      notBefore: new Date(Date.now() - 60 * DAY_MS),
      notAfter: new Date(Date.now() + days * DAY_MS),
    });
  const soon = await issue(10.5);
  const env = { DNS_SERVERS: dns.address, NODE_EXTRA_CA_CERTS: authority.certFile };
  await using belfry = await startBelfry({ env });
  const client = await makeClient(belfry);
  await setQueue(belfry, 'emails', '--certificate-alerts', 'on', '--retries', 'off');

  const target = await startTlsReceiver({ tls: soon });
  const url = `https://tls.test:${target.port}/`;
  const send = async () => untilEnded(belfry, [await postJob(client, { url })]);
  await send();
  await send();
  // Without a mail server, mails are logged.
  const mail = /queue “emails” has a target whose certificate ends soon/;
  await belfry.line(mail);

  const { json } = await belfry.cli('alert', 'list', '--team', TEAM);
  const [alert, ...others] = json as Record<string, unknown>[];
  assert.deepEqual(others, []);
  assert.deepEqual([alert?.['level'], alert?.['kind']], ['warning', 'certificate']);
  const host = `tls.test:${target.port}`;
  assert.match(
    String(alert?.['error_message']),
    new RegExp(`^The certificate of ${host} ends at `),
  );

  const visitor = await signIn(belfry);
  const queues = (await visitor.get('/queues')).text;
  const path = /\/queues\/[\da-f-]{36}/.exec(queues)?.[0] ?? '';
  const notice = `${host}: valid until`;
  const onOverview = `The certificate of ${host} is valid until`;
  const plain = async (of: string) => (await visitor.get(of)).text.replaceAll('<!-- -->', '');
  assert.ok((await plain(path)).includes(notice));
  assert.ok((await plain('/')).includes(onOverview));

  await target.close();
  await using _renewed = await startTlsReceiver({ tls: await issue(90), port: target.port });
  await eventually(async () => {
    await send();
    return !(await plain(path)).includes(notice);
  });
  assert.ok(!(await plain('/')).includes(onOverview));
  const after = await belfry.cli('alert', 'list', '--team', TEAM);
  assert.equal((after.json as unknown[]).length, 1);
  const mails = belfry.output.filter((line) => mail.test(line));
  assert.equal(mails.length, 1);
});

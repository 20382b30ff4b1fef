import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { test } from 'node:test';
import { startDnsServer, type DnsServer } from './dns-server.ts';

function resolverOf(dns: DnsServer): Resolver {
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers([dns.address]);
  return resolver;
}

async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  return promise.then(
    () => 'answered',
    (error: NodeJS.ErrnoException) => error.code,
  );
}

test('names answer their records, by type, and every query is on record', async () => {
  await using dns = await startDnsServer();
  dns.answer('Bell.test', ['127.0.0.1', { type: 'A', data: '127.0.0.2', ttl: 7 }, '::1']);
  const resolver = resolverOf(dns);
  assert.deepEqual(await resolver.resolve4('bell.test', { ttl: true }), [
    { address: '127.0.0.1', ttl: 0 },
    { address: '127.0.0.2', ttl: 7 },
  ]);
  assert.deepEqual(await resolver.resolve6('bell.test'), ['::1']);
  assert.deepEqual(dns.queries, [
    { name: 'bell.test', type: 'A', over: 'udp' },
    { name: 'bell.test', type: 'AAAA', over: 'udp' },
  ]);
});

test('a CNAME is followed to the addresses given with it', async () => {
  await using dns = await startDnsServer();
  dns.answer('alias.test', [
    { type: 'CNAME', data: 'real.test' },
    { type: 'A', name: 'real.test', data: '127.0.0.3' },
  ]);
  assert.deepEqual(await resolverOf(dns).resolve4('alias.test'), ['127.0.0.3']);
});

test('a name can be missing, fail, stay silent, be empty or make no sense', async () => {
  await using dns = await startDnsServer();
  dns.answer('fails.test', 'SERVFAIL');
  dns.answer('refused.test', 'REFUSED');
  dns.answer('silent.test', 'silence');
  dns.answer('empty.test', []);
  dns.answer('broken.test', { bytes: Buffer.from('8180ffffffffffff', 'hex') });
  const ask = (name: string) => codeOf(resolverOf(dns).resolve4(name));
  assert.equal(await ask('unknown.test'), 'ENOTFOUND');
  assert.equal(await ask('fails.test'), 'ESERVFAIL');
  assert.equal(await ask('refused.test'), 'EREFUSED');
  assert.equal(await ask('silent.test'), 'ETIMEOUT');
  assert.equal(await ask('empty.test'), 'ENODATA');
  assert.match(String(await ask('broken.test')), /^E(BADRESP|FORMERR|TIMEOUT)$/);
});

test('a name can answer differently each time', async () => {
  await using dns = await startDnsServer();
  dns.answerInTurn('rebinds.test', [['203.0.113.1'], ['127.0.0.1']]);
  const ask = () => resolverOf(dns).resolve4('rebinds.test');
  assert.deepEqual([await ask(), await ask(), await ask()].flat(), [
    '203.0.113.1',
    '127.0.0.1',
    '127.0.0.1',
  ]);
});

test('a truncated answer is repeated over TCP', async () => {
  await using dns = await startDnsServer();
  dns.answer('long.test', { truncated: ['127.0.0.9'] });
  assert.deepEqual(await resolverOf(dns).resolve4('long.test'), ['127.0.0.9']);
  assert.deepEqual(
    dns.queries.map(({ over }) => over),
    ['udp', 'tcp'],
  );
});

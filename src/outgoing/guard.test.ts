import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startDnsServer } from '#testing/dns-server';
import { FakeClock } from '#demo/fake-clock';
import { startReceiver } from '#testing/receiver';
import { openSender, saysOf } from '#testing/sender';
import { Guard } from './guard.ts';

/** A scripted DNS server, a target, and a sender that uses both; `get` sends to a name at the target's port. */
async function openScene(options: Parameters<typeof openSender>[0] = {}) {
  const stack = new AsyncDisposableStack();
  const dns = stack.use(await startDnsServer());
  const receiver = stack.use(await startReceiver());
  const sender = stack.use(openSender({ dnsServers: [dns.address], ...options }));
  const get = (name: string) => sender.get(`http://${name}:${receiver.port}/`);
  return { dns, receiver, sender, get, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** A hosts file in a folder of its own. */
async function makeHosts(text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-hosts-'));
  const hostsPath = join(folder, 'hosts');
  await writeFile(hostsPath, text);
  return { hostsPath, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

describe('names', () => {
  test('a name that resolves to an allowed address is reached there, under its own name', async () => {
    await using scene = await openScene();
    const { dns, receiver, get } = scene;
    dns.answer('target.test', ['127.0.0.1']);
    const exchange = await get('TARGET.test.');
    assert.equal(exchange.kind, 'answered');
    assert.equal(exchange.trace.address, '127.0.0.1');
    assert.notEqual(exchange.trace.timing.dnsMs, null);
    assert.equal(receiver.requests[0]?.headers.host, `target.test.:${receiver.port}`);
    assert.deepEqual(
      dns.queries.map(({ type }) => type),
      ['A'],
      'nothing but A records is asked for',
    );
  });

  test('a silent name server makes its name unresolvable and delays no other name', async () => {
    await using scene = await openScene();
    const { dns, sender, get } = scene;
    dns.answer('silent.test', 'silence');
    dns.answer('broken.test', { bytes: Buffer.from([0x81, 0x80]) });
    dns.answer('target.test', ['127.0.0.1']);
    let isSilent = true;
    const silent = sender.get('http://silent.test/').finally(() => (isSilent = false));
    const broken = sender.get('http://broken.test/');
    const good = await get('target.test');
    assert.equal(good.kind, 'answered');
    assert.ok(isSilent);
    assert.deepEqual([(await silent).kind, (await broken).kind], ['unresolvable', 'unresolvable']);
    // Twice the limit of a lookup: the server is asked once more where this process stood still meanwhile.
    assert.ok((await silent).durationMs < 10_000);
  });

  test('a dead server is skipped, and an answer over TCP is followed', async () => {
    await using scene = await openScene();
    const { dns, receiver } = scene;
    await using sender = openSender({ dnsServers: ['127.0.0.1:1', dns.address] });
    dns.answer('target.test', { truncated: ['127.0.0.1'] });
    assert.equal((await sender.get(`http://target.test:${receiver.port}/`)).kind, 'answered');
  });

  test('a DNS answer is cached for its TTL and requested once by simultaneous look-ups', async () => {
    await using scene = await openScene();
    const { dns, get } = scene;
    dns.answer('kept.test', [{ type: 'A', data: '127.0.0.1', ttl: 60 }]);
    dns.answer('fleeting.test', ['127.0.0.1']);
    await Promise.all([get('kept.test'), get('kept.test'), get('kept.test')]);
    await get('kept.test');
    assert.equal(dns.queries.length, 1);
    await get('fleeting.test');
    await get('fleeting.test');
    assert.equal(dns.queries.length, 3);
    dns.answer('mixed.test', [{ type: 'A', data: '127.0.0.1', ttl: 60 }, '127.0.0.1']);
    await get('mixed.test');
    await get('mixed.test');
    assert.equal(dns.queries.length, 5, 'cached for the shortest TTL of its records');
  });

  test('a name without an address is looked up again after five seconds, a failed lookup after one', async () => {
    await using dns = await startDnsServer();
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    await using sender = openSender({ dnsServers: [dns.address], clock });
    dns.answer('empty.test', []);
    dns.answer('broken.test', 'SERVFAIL');
    for (const [name, seconds] of [
      ['missing.test', 5],
      ['empty.test', 5],
      ['broken.test', 1],
    ] as const) {
      const count = () => dns.queries.filter((query) => query.name === name).length;
      const get = async () => (await sender.get(`http://${name}/`)).kind;
      assert.equal(await get(), 'unresolvable');
      const asked = count();
      await clock.advance(seconds * 1_000 - 1);
      assert.equal(await get(), 'unresolvable');
      assert.equal(count(), asked, `${name} is cached`);
      await clock.advance(1);
      assert.equal(await get(), 'unresolvable');
      assert.ok(count() > asked, `${name} is asked for again`);
    }
  });

  test('the next address is dialled where one refuses, of the first three', async () => {
    await using scene = await openScene();
    const { dns, get } = scene;
    const refusing = ['127.0.0.9', '127.0.0.8', '127.0.0.7'];
    dns.answer('target.test', [...refusing.slice(0, 2), '127.0.0.1']);
    const exchange = await get('target.test');
    assert.equal(exchange.kind, 'answered');
    assert.equal(exchange.trace.address, '127.0.0.1');
    dns.answer('target.test', [...refusing, '127.0.0.1']);
    const given = await get('target.test');
    assert.deepEqual([given.kind, given.trace.address], ['broken', '127.0.0.7']);
  });
});

describe('the machine itself', () => {
  test('localhost and names below it are always 127.0.0.1', async () => {
    await using scene = await openScene();
    const { dns, receiver, get } = scene;
    dns.answer('localhost', ['93.184.216.34']);
    await using closed = openSender({ dnsServers: [dns.address], allowedNetworks: [] });
    for (const name of ['localhost', 'foo.localhost', 'LOCALHOST.']) {
      const url = `http://${name}:${receiver.port}/`;
      assert.equal((await closed.get(url)).kind, 'blocked', name);
      assert.equal((await get(name)).kind, 'answered', name);
    }
    assert.equal((await get('notlocalhost')).kind, 'unresolvable');
    assert.deepEqual(
      dns.queries.map(({ name }) => name),
      ['notlocalhost'],
    );
  });

  test("names of the hosts file are kept while it can't be read, but not once it is deleted", async () => {
    await using hosts = await makeHosts('127.0.0.1 web\n');
    const { hostsPath } = hosts;
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    await using scene = await openScene({ hostsPath, clock });
    const get = async () => (await scene.get('web')).kind;
    assert.equal(await get(), 'answered');
    await rm(hostsPath);
    await mkdir(hostsPath);
    await clock.advance(5_000);
    assert.equal(await get(), 'answered');
    await rm(hostsPath, { recursive: true });
    await clock.advance(5_000);
    assert.equal(await get(), 'unresolvable');
  });

  test("the machine's own addresses are blocked unless allowed, and read again after five seconds", async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    let reads = 0;
    const own = ['93.184.216.34'];
    const ownAddresses = () => {
      reads++;
      return own;
    };
    await using sender = openSender({ allowedNetworks: [], clock, ownAddresses });
    await using open = openSender({ ownAddresses: () => ['127.0.0.1'] });
    await using receiver = await startReceiver();
    const get = async (address: string) => (await sender.get(`http://${address}/`)).kind;
    for (let n = 0; n < 5; n++) assert.equal(await get('93.184.216.34'), 'blocked');
    assert.equal(reads, 1);
    own[0] = '93.184.216.35';
    await clock.advance(5_000);
    assert.equal(await get('93.184.216.35'), 'blocked');
    assert.equal(reads, 2);
    assert.equal((await open.get(receiver.url)).kind, 'answered');
  });

  test('names of the hosts file are read at once and judged like others', async () => {
    await using hosts = await makeHosts(
      '127.0.0.1 web # me\n10.0.0.1\tinner Inner.corp\n::1 ip6-loopback\n127.0.0.1 both\n10.0.0.2 both\n',
    );
    await using scene = await openScene(hosts);
    const expected = {
      web: 'answered',
      'INNER.corp': 'blocked',
      both: 'blocked',
      'ip6-loopback': 'unresolvable',
      me: 'unresolvable',
    };
    const exchanges = await Promise.all(Object.keys(expected).map(scene.get));
    assert.deepEqual(
      exchanges.map(({ kind }) => kind),
      Object.values(expected),
    );
  });
});

test('an error while a target is judged ends that exchange alone', async () => {
  await using dns = await startDnsServer();
  dns.answer('target.test', ['127.0.0.1']);
  const ownAddresses = () => {
    throw new Error('no interfaces');
  };
  await using sender = openSender({ dnsServers: [dns.address], ownAddresses });
  for (const host of ['target.test', '127.0.0.1']) {
    const exchange = await sender.get(`http://${host}/`);
    assert.equal(exchange.kind === 'broken' && saysOf(exchange), 'connection failed');
  }
});

test('only the echo’s own port may be used at an address that is otherwise blocked', () => {
  const guard = new Guard({
    clock: new FakeClock(0),
    allowedNetworks: [],
    resolver: { recall: () => undefined, find: () => Promise.resolve(null) } as never,
    echo: { address: '127.0.0.1', port: 3000 },
    readOwnAddresses: () => [],
  });
  assert.equal(guard.mayUse('127.0.0.1', 3000), true);
  assert.equal(guard.mayUse('127.0.0.1', 3001), false);
  assert.equal(guard.mayUse('10.0.0.1', 3000), false);
  assert.equal(guard.mayUse('93.184.216.34', 80), true);
  assert.equal(guard.mayUse(undefined, undefined), false);
});

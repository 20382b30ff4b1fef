import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hostOfUrl, judgeAddress, readNetwork } from './network.ts';

const networks = (text: string) =>
  text.split(', ').map((each) => readNetwork(each) ?? assert.fail(each));

/** The first and last address of every blocked range, and the public addresses beside them. */
const EDGES: [inside: string, outside: string][] = [
  ['0.0.0.0 0.0.0.1 0.255.255.255', '1.0.0.0 1.1.1.1'],
  ['10.0.0.0 10.255.255.255', '9.255.255.255 11.0.0.0'],
  ['100.64.0.0 100.127.255.255', '100.63.255.255 100.128.0.0'],
  ['127.0.0.0 127.0.0.254 127.255.255.255', '126.255.255.255 128.0.0.0'],
  ['169.254.0.0 169.254.169.254 169.254.255.255', '169.253.255.255 169.255.0.0'],
  ['172.16.0.0 172.31.255.255', '172.15.255.255 172.32.0.0'],
  ['192.0.0.0 192.0.0.8 192.0.0.11 192.0.0.192 192.0.0.255', '191.255.255.255 192.0.1.1'],
  ['168.63.129.16', '168.63.129.15 168.63.129.17'],
  ['192.0.2.0 192.0.2.255', '192.0.1.255 192.0.3.0'],
  ['192.88.99.0 192.88.99.255', '192.88.98.255 192.88.100.0'],
  ['192.168.0.0 192.168.255.255', '192.167.255.255 192.169.0.0'],
  ['198.18.0.0 198.19.255.255', '198.17.255.255 198.20.0.0'],
  ['198.51.100.0 198.51.100.255', '198.51.99.255 198.51.101.0'],
  ['203.0.113.0 203.0.113.255', '203.0.112.255 203.0.114.0'],
  ['224.0.0.0 233.252.0.16 239.255.255.255', '223.255.255.255'],
  ['240.0.0.0 240.240.240.240 255.255.255.255', ''],
];

describe('judging an address', () => {
  test('every blocked range ends at its edges', () => {
    for (const [inside, outside] of EDGES) {
      for (const address of inside.split(' '))
        assert.equal(judgeAddress(address, []), 'blocked', address);
      for (const address of outside.split(' ').filter(Boolean))
        assert.equal(judgeAddress(address, []), 'allowed', address);
    }
  });

  test('the globally reachable addresses within a blocked range are allowed', () => {
    for (const address of ['192.0.0.9', '192.0.0.10'])
      assert.equal(judgeAddress(address, []), 'allowed', address);
  });

  test('a network the operator allowed is let through and its neighbours are not', () => {
    const allowed = networks('10.1.0.0/16, 127.0.0.1');
    assert.equal(judgeAddress('10.1.255.255', allowed), 'allowed');
    assert.equal(judgeAddress('127.0.0.1', allowed), 'allowed');
    assert.equal(judgeAddress('10.2.0.0', allowed), 'blocked');
    assert.equal(judgeAddress('127.0.0.2', allowed), 'blocked');
    assert.equal(judgeAddress('127.0.0.2', networks('0.0.0.0/0')), 'allowed');
  });

  test('an address of this machine is blocked unless the operator allowed it', () => {
    const own = new Set(['93.184.216.34']);
    assert.equal(judgeAddress('93.184.216.34', [], own), 'blocked');
    assert.equal(judgeAddress('93.184.216.35', [], own), 'allowed');
    assert.equal(judgeAddress('93.184.216.34', networks('93.184.216.0/24'), own), 'allowed');
  });

  test('an address that is not dotted is blocked even if all networks are allowed', () => {
    for (const text of ['', '::1', '1.2.3', '256.1.1.1', '01.2.3.4', '1.2.3.4 ', 'name'])
      assert.equal(judgeAddress(text, networks('0.0.0.0/0')), 'blocked', text);
  });
});

test('a network of IPv6, a word or a broken network is no IPv4 network', () => {
  for (const text of ['', 'private', '10.0.0/8', '::1/128', '10.0.0.0/'])
    assert.equal(readNetwork(text), null, text);
});

describe('the host of a URL', () => {
  test('every spelling of an address is that address', () => {
    const numbers = ['2130706433', '0x7f000001', '017700000001', '127.1', '0x7f.0.0.1', '127.0.1'];
    const others = ['0177.0.0.01', '127.0.0.1.', '127.0.0.1:80', '%31%32%37.0.0.1', '127。0。0。1'];
    const spellings = [...numbers, ...others, '①②⑦.0.0.1'].map((host) => `HTTP://${host}/`);
    for (const url of spellings) {
      assert.deepEqual(hostOfUrl(new URL(url)), { kind: 'ipv4', address: '127.0.0.1' }, url);
    }
  });

  test('an address in brackets is IPv6, also where it holds an IPv4 address', () => {
    for (const host of ['[::1]', '[::ffff:127.0.0.1]', '[64:ff9b::808:808]:81'])
      assert.equal(hostOfUrl(new URL(`http://${host}/`)).kind, 'ipv6', host);
  });

  test('a name is given in lower case, as punycode and without its trailing dot', () => {
    assert.deepEqual(hostOfUrl(new URL('http://BÜCHER.test./')), {
      kind: 'name',
      name: 'xn--bcher-kva.test',
    });
  });
});

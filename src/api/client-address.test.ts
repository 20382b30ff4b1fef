import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { readEntry, readClientAddress } from './client-address.ts';

function read(trustedProxies: number, forwarded: string | undefined, socket = '10.0.0.1') {
  const incoming = { socket: { remoteAddress: socket }, headers: { 'x-forwarded-for': forwarded } };
  return readClientAddress(incoming as unknown as IncomingMessage, trustedProxies);
}

describe('the client address', () => {
  test("the client address is the socket's without trusted proxies", () => {
    assert.equal(read(0, '1.2.3.4'), '10.0.0.1');
    assert.equal(read(0, undefined, '::ffff:127.0.0.1'), '127.0.0.1');
  });

  test('behind n proxies the client address is the nth entry from the end', () => {
    assert.equal(read(2, '6.6.6.6, 1.2.3.4, 10.9.9.9'), '1.2.3.4');
    assert.equal(read(1, '6.6.6.6, 7.7.7.7,1.2.3.4'), '1.2.3.4');
    assert.equal(read(1, `${'6.6.6.6,'.repeat(1000)} 1.2.3.4 `), '1.2.3.4');
  });

  test('the client address is the socket’s if the header is missing, too short or malformed', () => {
    for (const list of [undefined, '', '1.2.3.4', 'unknown, 1.2.3.4', '1, 2', ',', 'a b c, d']) {
      assert.equal(read(2, list), '10.0.0.1', String(list));
    }
  });

  test('the client address has no port, brackets or zone, and one spelling', () => {
    assert.equal(read(1, '1.2.3.4:56789'), '1.2.3.4');
    assert.equal(String(readEntry('[2001:DB8::1]:443')), '2001:db8::1');
    assert.equal(String(readEntry('[2001:db8:0::1]')), '2001:db8::1');
    assert.equal(String(readEntry('2001:0db8:0:0:0:0:0:1')), '2001:db8::1');
    assert.equal(read(1, '::ffff:1.2.3.4'), '1.2.3.4');
    assert.equal(read(1, '[::FFFF:102:304]:5'), '1.2.3.4');
    assert.equal(read(0, undefined, 'fe80::1%eth0'), 'fe80::');
  });

  test('a text that only looks like an address is not a client address', () => {
    const odd = ['', '1', '0x7f.1', '1.2.3', '256.1.1.1', '01.2.3.4', ':::', '_hidden'];
    for (const text of [...odd, '1.2.3.4:', '[::1', '::1]', '[1.2.3.4', 'example.com', '%eth0']) {
      assert.equal(readEntry(text), null, text);
    }
  });
});

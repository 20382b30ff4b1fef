import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isInRanges, parseRanges, writeRanges } from './address-range.ts';

describe('addresses and networks', () => {
  test('addresses and networks of both families are parsed to their network', () => {
    const ranges = parseRanges('127.0.0.1, 172.18.5.6/16,fd00::1/8 , ::1');
    assert.deepEqual(ranges, [
      { base: '127.0.0.1', prefix: 32 },
      { base: '172.18.0.0', prefix: 16 },
      { base: 'fd00::', prefix: 8 },
      { base: '::1', prefix: 128 },
    ]);
    assert.equal(writeRanges(ranges ?? []), '127.0.0.1, 172.18.0.0/16, fd00::/8, ::1');
  });

  test('other spellings, networks of all addresses and long lists are rejected', () => {
    const odd = [
      '',
      '127.0.0.1,',
      '127.1',
      '0x7f.0.0.1',
      '010.0.0.1',
      '2130706433',
      'fe80::1%eth0',
    ];
    const badBits = ['10.0.0.0/33', 'fd00::/129', '10.0.0.0/08', '10.0.0.0/-1', '10.0.0.0/8/8'];
    const wide = ['0.0.0.0/0', '::/0', '::ffff:10.0.0.0/104', Array(101).fill('10.0.0.1').join()];
    for (const text of [...odd, ...badBits, ...wide]) assert.equal(parseRanges(text), null, text);
  });

  test('a range contains an address in each spelling of a socket', () => {
    const ranges = parseRanges('172.18.0.0/16,fd00::/8') ?? [];
    for (const within of ['172.18.255.1', '::ffff:172.18.0.1', 'fd00::1', 'FD12:0::1', 'fd00::1%2'])
      assert.equal(isInRanges(within, ranges), true, within);
    for (const beyond of ['172.19.0.1', '::ffff:172.19.0.1', 'fe80::1', '', 'x', '172.18.0'])
      assert.equal(isInRanges(beyond, ranges), false, beyond);
  });

  test('a range never contains an address whose leading bits differ', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const address = fc.tuple(byte, byte, byte, byte);
    const numberOf = (bytes: readonly number[]) =>
      bytes.reduce((sum, each) => sum * 256n + BigInt(each), 0n);
    fc.assert(
      fc.property(address, address, fc.integer({ min: 1, max: 32 }), (one, other, prefix) => {
        const ranges = parseRanges(`${one.join('.')}/${prefix}`) ?? [];
        const shift = BigInt(32 - prefix);
        const isSame = numberOf(one) >> shift === numberOf(other) >> shift;
        assert.equal(isInRanges(other.join('.'), ranges), isSame);
        assert.equal(isInRanges(`::ffff:${other.join('.')}`, ranges), isSame);
      }),
    );
  });
});

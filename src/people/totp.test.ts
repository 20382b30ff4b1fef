import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBase32, totpOf } from '#testing/authenticator';
import { makeTotpSecret, matchTotp, totpUri } from './totp.ts';

/** The text `12345678901234567890` of RFC 6238, appendix B, in base32. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test('the codes of RFC 6238 match their steps', () => {
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const)
    assert.equal(matchTotp(RFC_SECRET, code, seconds * 1000), Math.floor(seconds / 30));
});

test('a code matches one step early and late, and no further', () => {
  const at = 1_111_111_111_000;
  const step = 37_037_037;
  const steps = [-2, -1, 0, 1, 2].map((off) => matchTotp(RFC_SECRET, '050471', at + off * 30_000));
  assert.deepEqual(steps, [null, step, step, step, null]);
  for (const wrong of ['050472', '50471', '0050471', '', '05047１']) {
    assert.equal(matchTotp(RFC_SECRET, wrong, at), null, wrong);
  }
});

test('a new secret has 160 bits, and an authenticator shows its codes', () => {
  const secret = makeTotpSecret();
  assert.equal(decodeBase32(secret).length, 20);
  assert.notEqual(makeTotpSecret(), secret);
  const uri = totpUri(secret, 'ada+x@bells.test');
  assert.equal(new URL(uri).pathname, '/Belfry:ada%2Bx%40bells.test');
  const now = 1_700_000_000_000;
  assert.equal(matchTotp(secret, totpOf(uri, now), now), Math.floor(now / 30_000));
});

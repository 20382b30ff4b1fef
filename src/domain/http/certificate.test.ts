import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CERTIFICATE_DAYS, seeCertificate } from './certificate.ts';
import { DAY_MS } from '../base/instant.ts';

const NOW = Date.UTC(2026, 10, 20, 9);

/** @param left days until its end */
function isSoon(left: number, lifetime = 90): boolean {
  const endsAt = NOW + left * DAY_MS;
  const certificate = { host: 'a.example', startsAt: endsAt - lifetime * DAY_MS, endsAt };
  return seeCertificate(certificate, NOW).endsSoon;
}

describe('the end of a certificate', () => {
  test('a certificate ends soon from 21 days before its end on', () => {
    assert.equal(CERTIFICATE_DAYS, 21);
    const justBefore = 21 + 1 / DAY_MS;
    assert.deepEqual([isSoon(justBefore), isSoon(21), isSoon(-1)], [false, true, true]);
  });

  test('a certificate for some days ends soon in the last third of its time', () => {
    assert.deepEqual([isSoon(3, 6), isSoon(2, 6), isSoon(1, 6)], [false, true, true]);
  });
});

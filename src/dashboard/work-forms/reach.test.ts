import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeReach } from './reach.ts';

describe('the hint about targets', () => {
  test('the hint about targets follows the allowed networks', () => {
    const said = [
      [[], 'It must be reachable from the public internet over IPv4.'],
      [['0.0.0.0/0'], 'It must be reachable from Belfry over IPv4.'],
      [
        ['10.0.0.0/8'],
        'It must be reachable over IPv4, at a public address or within 10.0.0.0/8, as the operator allows.',
      ],
      [
        ['10.0.0.0/8', '127.0.0.1'],
        'It must be reachable over IPv4, at a public address or within 10.0.0.0/8 and 127.0.0.1, as the operator allows.',
      ],
    ] as const;
    for (const [networks, text] of said) assert.equal(describeReach(networks), text);
  });

  test('the hint about targets names a few of many networks', () => {
    const many = describeReach(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5']);
    assert.match(many, /within 10\.0\.0\.1, 10\.0\.0\.2, 10\.0\.0\.3 and 2 more, /);
  });
});

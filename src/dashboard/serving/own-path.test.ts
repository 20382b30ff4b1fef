import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { readNext, readOwnPath, signInPath } from './own-path.ts';

const CHARACTERS = Array.from('/\\.%2e:@?#&=a \t\u00a0\uff0f');

describe('where to go after signing in', () => {
  test('a path of this site is kept', () => {
    for (const path of ['/', '/jobs?tab=failed&q=a%20b', '/crons/1#top', '/jobs?q=//a', '/a//b'])
      assert.equal(readNext(path), path);
  });
  test('another site in any disguise leads to the overview', () => {
    for (const path of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      ' /x',
      'javascript:alert(1)',
      'jobs',
      '/.//evil.example',
      '/x/..//evil.example',
      '/%2e//evil.example',
      `/${'a'.repeat(4_096)}`,
      '',
      null,
      7,
    ]) {
      assert.equal(readOwnPath(path), null, String(path));
      assert.equal(readNext(path), '/');
    }
  });

  test('a path with characters that no header can carry is percent-encoded', () => {
    for (const [path, encoded] of [
      ['/jobs?q=\u00a0', '/jobs?q=%C2%A0'],
      ['/\uff0fevil.example', '/%EF%BC%8Fevil.example'],
      ['/\ufeff#\u{1f514}', '/%EF%BB%BF#%F0%9F%94%94'],
      ['/\ud800', '/%EF%BF%BD'],
      ['/a%zz"<>', '/a%zz%22%3C%3E'],
    ] as const) {
      assert.equal(readOwnPath(path), encoded);
      assert.equal(readOwnPath(encoded), encoded);
    }
  });

  test('every accepted path is of this site and fits a header', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...CHARACTERS) }), (text) => {
        const path = readOwnPath(`/${text}`);
        if (path === null) return;
        assert.match(path, /^\/(?!\/)[!-~]*$/);
        assert.equal(new URL(path, 'https://bells.test').host, 'bells.test');
      }),
    );
  });
});

test('the sign-in page leads back unless the way back is too long for a header', () => {
  assert.equal(signInPath('/'), '/login');
  assert.equal(signInPath('/jobs?q=a&b=é'), '/login?next=%2Fjobs%3Fq%3Da%26b%3D%C3%A9');
  assert.equal(signInPath(`/jobs?q=${'%41'.repeat(1_400)}`), '/login');
});

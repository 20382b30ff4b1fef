import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { basePathOf, cookieScopeOf, ownPathOf } from './public-address.ts';

describe('the public address', () => {
  test('the public address has the base path, or none', () => {
    assert.equal(basePathOf('https://belfry.example.com'), '');
    assert.equal(basePathOf('https://tools.example.com/belfry'), '/belfry');
    assert.equal(basePathOf('http://localhost:3000/a/b'), '/a/b');
  });

  test('the base path is removed from a path of the service', () => {
    const own = (path: string, base: string) =>
      ownPathOf(new URL(`http://x${path}`), `http://x${base}`);
    assert.equal(own('/jobs/1', ''), '/jobs/1');
    assert.equal(own('/belfry/jobs/1', '/belfry'), '/jobs/1');
    assert.equal(own('/belfry', '/belfry'), '/');
    assert.equal(own('/belfry2/jobs', '/belfry'), '/belfry2/jobs');
  });

  test('cookies are limited to host, base path and, with https, to TLS', () => {
    for (const [baseUrl, prefix, path, isSecure] of [
      ['http://localhost:3000', '', '/', false],
      ['https://belfry.example.com', '__Host-', '/', true],
      ['https://tools.example.com/belfry', '__Secure-', '/belfry', true],
    ] as const)
      assert.deepEqual(cookieScopeOf(baseUrl), { prefix, path, isSecure });
  });
});

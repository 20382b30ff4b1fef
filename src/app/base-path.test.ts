import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findPlace } from './base-path.ts';

describe('a request', () => {
  const ours = (url: string) => ({ kind: 'ours', url });
  const elsewhere = (location: string) => ({ kind: 'elsewhere', location });

  test('without a base path every request is accepted', () => {
    for (const url of ['/', '/jobs?tab=all', '*', '//x']) {
      assert.deepEqual(findPlace(url, ''), ours(url));
    }
  });

  test('with a base path only requests below it are accepted', () => {
    assert.deepEqual(findPlace('/tools/belfry/', '/tools/belfry'), ours('/'));
    assert.deepEqual(findPlace('/tools/belfry/?x=1', '/tools/belfry'), ours('/?x=1'));
    assert.deepEqual(findPlace('/tools/belfry/api/jobs', '/tools/belfry'), ours('/api/jobs'));
    assert.deepEqual(findPlace('/belfry2/jobs', '/belfry'), elsewhere('/belfry/belfry2/jobs'));
    assert.deepEqual(findPlace('/jobs/jobs', '/jobs'), ours('/jobs'));
    assert.deepEqual(findPlace('/api/api/jobs', '/api'), ours('/api/jobs'));
  });

  test('a request for the base path without its slash is redirected', () => {
    assert.deepEqual(findPlace('/belfry', '/belfry'), elsewhere('/belfry/'));
    assert.deepEqual(findPlace('/belfry?x=1', '/belfry'), elsewhere('/belfry/?x=1'));
  });

  test('API requests and probes may leave out the base path, pages may not', () => {
    for (const url of ['/healthz', '/metrics?x', '/api/jobs', '/echo?status=500']) {
      assert.deepEqual(findPlace(url, '/belfry'), ours(url));
    }
    assert.deepEqual(findPlace('/jobs?tab=all', '/belfry'), elsewhere('/belfry/jobs?tab=all'));
    assert.deepEqual(findPlace('/', '/belfry'), elsewhere('/belfry/'));
    assert.deepEqual(findPlace('/healthzz', '/belfry'), elsewhere('/belfry/healthzz'));
  });

  test('the redirect to the base path never leads to another host', () => {
    for (const url of ['//evil.test', '/\\evil.test', '*', 'http://evil.test/']) {
      const place = findPlace(url, '/belfry');
      assert.ok(place.kind === 'elsewhere' && place.location.startsWith('/belfry/'), url);
    }
  });
});

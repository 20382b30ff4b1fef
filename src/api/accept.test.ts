import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { acceptsJson } from './accept.ts';

describe('whether a failed validation is answered in JSON', () => {
  const json = [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json, text/html',
    'text/html, application/json',
    'text/plain, */*, application/json',
    'application/json;q=0.5, text/html',
    'application/json;q=0.5, */*',
    'text/html;q=0.5,application/vnd.api+json;q=0.4',
    'text/json',
    'application/problem+json',
    'text/html;q=0, application/json; q=0.001',
    'application/json;q=nonsense, text/html;q=0.9',
  ];
  for (const accept of json) {
    test(`Accept: ${accept} is answered in JSON`, () => {
      assert.equal(acceptsJson(accept, undefined), true);
    });
  }

  const other = [
    undefined,
    '',
    ',',
    '*/*',
    'text/html',
    'application/json;q=0',
    'application/json; q=0.000, text/html',
    'application/*',
    'application/json+xml;q=0, application/x+jsonp',
    'application/xml;profile=application/json',
  ];
  for (const accept of other) {
    test(`Accept: ${String(accept)} is redirected`, () => {
      assert.equal(acceptsJson(accept, undefined), false);
    });
  }

  test('a script that accepts every type is answered in JSON, one that names a type is redirected', () => {
    assert.equal(acceptsJson('*/*', 'XMLHttpRequest'), true);
    assert.equal(acceptsJson('text/plain, */*;q=0.1', 'xmlhttprequest'), true);
    assert.equal(acceptsJson('*/*;q=0', 'XMLHttpRequest'), false);
    assert.equal(acceptsJson('text/html', 'XMLHttpRequest'), false);
    assert.equal(acceptsJson(undefined, 'XMLHttpRequest'), false);
    assert.equal(acceptsJson('*/*', 'fetch'), false);
  });
});

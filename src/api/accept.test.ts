import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { prefersJson } from './accept.ts';

describe('whether a failed validation is answered in JSON', () => {
  const json = [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json, text/html',
    'text/html;q=0.5, application/json',
    'text/html;q=0.5,application/vnd.api+json;q=0.6',
    'text/json',
    'application/problem+json',
    'text/html;q=0, application/json;q=0.001',
    'application/json;q=nonsense, text/html;q=0.9',
  ];
  for (const accept of json) {
    test(`${accept}: yes`, () => assert.equal(prefersJson(accept, undefined), true));
  }

  const other = [
    undefined,
    '',
    ',',
    '*/*',
    'text/html',
    'text/html, application/json',
    'application/json;q=0.5, */*',
    'application/json;q=0',
    'application/*',
    'application/xml;profile=application/json',
  ];
  for (const accept of other) {
    test(`${String(accept)}: no`, () => assert.equal(prefersJson(accept, undefined), false));
  }

  test('a script that takes anything is answered in JSON, one that names something is not', () => {
    assert.equal(prefersJson('*/*', 'XMLHttpRequest'), true);
    assert.equal(prefersJson('text/html', 'XMLHttpRequest'), false);
    assert.equal(prefersJson(undefined, 'XMLHttpRequest'), false);
    assert.equal(prefersJson('*/*', 'fetch'), false);
  });
});

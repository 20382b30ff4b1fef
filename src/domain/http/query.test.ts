import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';
import { anyUrl } from '#testing/any-text';

import { appendPayloadToUrl } from './query.ts';

function queryOf(url: string | null): string | null {
  const at = url?.indexOf('?') ?? -1;
  return url === null || at < 0 ? null : url.slice(at + 1);
}

describe('a payload in the query string (§2.6)', () => {
  const replaced: [url: string, payload: string, expected: string, why: string][] = [
    ['?a%5B0%5D=1&a[x]=2&b=3', '{"a":9}', '?b=3&a=9', 'nested parameters go too'],
    ['?%61=1&b', '{"a":9}', '?b&a=9', 'names are compared after decoding'],
    ['?a+b=1&a%20b=2', '{"a b":9}', '?a%20b=9', 'a plus in a name is a space'],
    ['?a&a=1', '{"a":9}', '?a=9', 'a parameter without a value is one as well'],
    ['?A=1&ab=2', '{"a":9}', '?A=1&ab=2&a=9', 'only the very name counts'],
    ['?a=1', '{"a[b]":9}', '?a%5Bb%5D=9', 'a key counts up to its bracket'],
    ['?a=1', '{"a":null}', '', 'a null key takes the parameter away'],
    ['?0=x&1=y&2=z', '["a","b"]', '?2=z&0=a&1=b', 'list items are named 0, 1, …'],
    ['?%zz=1&%=2&%ff=3', '{"a":9}', '?%zz=1&%=2&%ff=3&a=9', 'broken escapes stay'],
    ['?&&x=1', '{"":9}', '?&&x=1&=9', 'an empty key replaces no separators'],
    ['?=5&x=1', '{"":9}', '?x=1&=9', 'an empty key replaces an empty name'],
    ['?a=1&', '{"b":2}', '?a=1&b=2', 'a trailing & is not doubled'],
    ['?', '{"b":2}', '?b=2', 'an empty query is filled'],
  ];
  test('a payload key replaces the parameters of its name', () => {
    for (const [url, payload, expected, why] of replaced)
      assert.equal(appendPayloadToUrl(`http://t/p${url}`, payload), `http://t/p${expected}`, why);
  });

  test('the fragment of the URL is dropped, and a question mark in it is no query', () => {
    assert.equal(appendPayloadToUrl('http://t/p#x?y=1', '{"a":1}'), 'http://t/p?a=1');
    assert.equal(appendPayloadToUrl('http://t/p?q=1#f', null), 'http://t/p?q=1');
  });

  test('the rest of the URL keeps its spelling', () => {
    const url = 'HTTP://T.Test:80/a/../b%7e/é?Q=%c3%A9&x=a b';
    assert.equal(appendPayloadToUrl(url, null), url);
    assert.equal(appendPayloadToUrl(url, '{"z":1}'), `${url}&z=1`);
  });

  test('values and names are encoded, numbers as they are written', () => {
    for (const [payload, query] of [
      ['{"a":1.0,"b":-1E+400}', 'a=1.0&b=-1E%2B400'],
      ['{"a":true,"b":[false]}', 'a=1&b%5B0%5D=0'],
      ['{"a":"\\ud800"}', 'a=%EF%BF%BD'],
      ['{"a-._~":"!\'()*&=#/?"}', 'a-._~=%21%27%28%29%2A%26%3D%23%2F%3F'],
      ['{"":{"b":1}}', '%5Bb%5D=1'],
    ] as const)
      assert.equal(appendPayloadToUrl('http://t', payload), `http://t?${query}`);
  });

  test("a small payload can't make a query of gigabytes", () => {
    const payload = `{"${'k'.repeat(500_000)}":[${'1,'.repeat(250_000)}1]}`;
    assert.equal(appendPayloadToUrl('http://t', payload), null);
  });

  test('a query of up to 128 KiB is sent', () => {
    const payload = `[${'1,'.repeat(15_000)}1]`;
    assert.match(appendPayloadToUrl('http://t', payload) ?? '', /&15000=1$/);
    const most = 128 * 1024 - 'a='.length;
    assert.equal(appendPayloadToUrl('http://t', `{"a":"${'x'.repeat(most + 1)}"}`), null);
    assert.equal(
      queryOf(appendPayloadToUrl('http://t', `{"a":"${'x'.repeat(most)}"}`))?.length,
      128 * 1024,
    );
  });

  test('deep levels that repeat their names make no query of megabytes', () => {
    const payload = `${'[{"a":'.repeat(250)}[${'1,'.repeat(4_000)}1]${'}]'.repeat(250)}`;
    assert.equal(appendPayloadToUrl('http://t', payload), null);
  });

  test('any flat payload reads back unchanged from the query', () => {
    const flat = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(flat, (payload) => {
        const sent = appendPayloadToUrl('http://t/p', JSON.stringify(payload));
        assert.deepEqual([...new URLSearchParams(queryOf(sent) ?? '')], Object.entries(payload));
      }),
    );
  });

  test('parameters of the URL are kept as written', () => {
    fc.assert(
      fc.property(anyUrl({ withQuery: true }), (url) => {
        const sent = appendPayloadToUrl(url, '{"longer than any of its names":1}');
        assert.ok(sent !== null && sent.startsWith(url));
        assert.match(sent.slice(url.length), /^[?&]?longer%20than%20any%20of%20its%20names=1$/);
      }),
    );
  });
});

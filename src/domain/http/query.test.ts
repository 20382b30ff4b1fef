import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';
import { anyUrl } from '#testing/any-text';

import { appendPayloadToUrl } from './query.ts';

function append(url: string, payload: string | null): string | null {
  return appendPayloadToUrl(url, payload);
}

function queryOf(url: string | null): string | null {
  const at = url?.indexOf('?') ?? -1;
  return url === null || at < 0 ? null : url.slice(at + 1);
}

describe('a payload in the query string (§2.6)', () => {
  const replaced: [url: string, payload: string, expected: string, why: string][] = [
    [
      'http://t/p?a%5B0%5D=1&a[x]=2&b=3',
      '{"a":9}',
      'http://t/p?b=3&a=9',
      'nested parameters go too',
    ],
    ['http://t/p?%61=1&b', '{"a":9}', 'http://t/p?b&a=9', 'names are compared after decoding'],
    ['http://t/p?a+b=1&a%20b=2', '{"a b":9}', 'http://t/p?a%20b=9', 'a plus in a name is a space'],
    ['http://t/p?a&a=1', '{"a":9}', 'http://t/p?a=9', 'a parameter without a value is one as well'],
    ['http://t/p?A=1&ab=2', '{"a":9}', 'http://t/p?A=1&ab=2&a=9', 'only the very name counts'],
    ['http://t/p?a=1', '{"a[b]":9}', 'http://t/p?a%5Bb%5D=9', 'a key counts up to its bracket'],
    ['http://t/p?a=1', '{"a":null}', 'http://t/p', 'a null key takes the parameter away'],
    [
      'http://t/p?0=x&1=y&2=z',
      '["a","b"]',
      'http://t/p?2=z&0=a&1=b',
      'list items are named 0, 1, …',
    ],
    [
      'http://t/p?%zz=1&%=2&%ff=3',
      '{"a":9}',
      'http://t/p?%zz=1&%=2&%ff=3&a=9',
      'broken escapes stay',
    ],
    ['http://t/p?&&x=1', '{"":9}', 'http://t/p?&&x=1&=9', 'an empty key replaces no separators'],
    ['http://t/p?=5&x=1', '{"":9}', 'http://t/p?x=1&=9', 'an empty key replaces an empty name'],
    ['http://t/p?a=1&', '{"b":2}', 'http://t/p?a=1&b=2', 'a trailing & is not doubled'],
    ['http://t/p?', '{"b":2}', 'http://t/p?b=2', 'an empty query is filled'],
  ];
  for (const [url, payload, expected, why] of replaced) {
    test(`${url} with ${payload}: ${why}`, () => {
      assert.equal(append(url, payload), expected);
    });
  }

  test('the fragment of the URL is dropped, and a question mark in it is no query', () => {
    assert.equal(append('http://t/p#x?y=1', '{"a":1}'), 'http://t/p?a=1');
    assert.equal(append('http://t/p?q=1#f', null), 'http://t/p?q=1');
  });

  test('the rest of the URL keeps its spelling', () => {
    const url = 'HTTP://T.Test:80/a/../b%7e/é?Q=%c3%A9&x=a b';
    assert.equal(append(url, null), url);
    assert.equal(append(url, '{"z":1}'), `${url}&z=1`);
  });

  test('numbers in a query keep their digits, and their plus sign does not become a space', () => {
    assert.equal(append('http://t', '{"a":1.0,"b":-1E+400}'), 'http://t?a=1.0&b=-1E%2B400');
  });

  test('in a query true is 1 and false is 0, at any depth', () => {
    assert.equal(append('http://t', '{"a":true,"b":[false]}'), 'http://t?a=1&b%5B0%5D=0');
  });

  test('in a query a lone surrogate becomes the replacement character', () => {
    assert.equal(append('http://t', '{"a":"\\ud800"}'), 'http://t?a=%EF%BF%BD');
  });

  test('in a query all but the unreserved characters are encoded', () => {
    assert.equal(
      append('http://t', '{"a-._~":"!\'()*&=#/?"}'),
      'http://t?a-._~=%21%27%28%29%2A%26%3D%23%2F%3F',
    );
  });

  test('in a query nested objects under an empty key are still nested', () => {
    assert.equal(append('http://t', '{"":{"b":1}}'), 'http://t?%5Bb%5D=1');
  });

  test("a small payload can't make a query of gigabytes", () => {
    const payload = `{"${'k'.repeat(500_000)}":[${'1,'.repeat(250_000)}1]}`;
    assert.equal(append('http://t', payload), null);
  });

  test('a query of up to 128 KiB is sent', () => {
    const payload = `[${'1,'.repeat(15_000)}1]`;
    assert.match(append('http://t', payload) ?? '', /&15000=1$/);
    const most = 128 * 1024 - 'a='.length;
    assert.equal(append('http://t', `{"a":"${'x'.repeat(most + 1)}"}`), null);
    assert.equal(queryOf(append('http://t', `{"a":"${'x'.repeat(most)}"}`))?.length, 128 * 1024);
  });

  test('deep levels that repeat their names make no query of megabytes', () => {
    const payload = `${'[{"a":'.repeat(250)}[${'1,'.repeat(4_000)}1]${'}]'.repeat(250)}`;
    assert.equal(append('http://t', payload), null);
  });

  test('any flat payload reads back unchanged from the query', () => {
    const flat = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(flat, (payload) => {
        const sent = append('http://t/p', JSON.stringify(payload));
        assert.deepEqual([...new URLSearchParams(queryOf(sent) ?? '')], Object.entries(payload));
      }),
    );
  });

  test('parameters of the URL are kept as written', () => {
    fc.assert(
      fc.property(anyUrl({ withQuery: true }), (url) => {
        const sent = append(url, '{"longer than any of its names":1}');
        assert.ok(sent !== null && sent.startsWith(url));
        assert.match(sent.slice(url.length), /^[?&]?longer%20than%20any%20of%20its%20names=1$/);
      }),
    );
  });
});

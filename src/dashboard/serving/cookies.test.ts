import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RouterContextProvider } from 'react-router';
import { requestFacts, type RequestFacts } from '../context.ts';
import { readTimeZone, readToast, redirectWithToast, theme, writeCookie } from './cookies.ts';

const withCookie = (cookie: string) =>
  new Request('http://localhost/', { headers: { Cookie: cookie } });

describe('cookies', () => {
  test('cookies are for this site only, and secure if the address is', () => {
    const plain = writeCookie('a', 'b c', { baseUrl: 'http://localhost:3000', maxAgeSeconds: 60 });
    assert.equal(plain, 'a=b%20c; Path=/; SameSite=Lax; Max-Age=60; HttpOnly');
    assert.match(
      writeCookie('a', 'b', { baseUrl: 'https://x.example', maxAgeSeconds: 60 }),
      /; Secure$/,
    );
  });
  test('an unknown theme or time zone counts as none', () => {
    assert.equal(theme.read(withCookie('x=1; belfry_theme=dark')), 'dark');
    assert.equal(theme.read(withCookie('belfry_theme=%3Cscript%3E')), 'auto');
    assert.equal(theme.read(withCookie('belfry_theme=%E0%A4%A')), 'auto');
    assert.equal(readTimeZone(withCookie('belfry_zone=Europe%2FBerlin')), 'Europe/Berlin');
    assert.equal(readTimeZone(withCookie('belfry_zone=Moon%2FTycho')), null);
    assert.equal(readTimeZone(withCookie(`belfry_zone=${'a'.repeat(100)}`)), null);
  });
});

describe('a message about the last action', () => {
  const context = new RouterContextProvider();
  context.set(requestFacts, { baseUrl: 'http://localhost:3000' } as RequestFacts);

  test('a message is shown on the next page', () => {
    const toast = {
      kind: 'done',
      text: 'Café; “ok”, done',
      href: '/jobs/1',
      linkText: 'See it',
    } as const;
    const response = redirectWithToast(context, '/jobs', toast);
    const [cookie] = response.headers.getSetCookie();
    assert.equal(response.headers.get('Location'), '/jobs');
    const { key, ...arrived } = readToast(withCookie(cookie?.split(';')[0] ?? '')) ?? {};
    assert.deepEqual(arrived, toast);
    assert.match(key ?? '', /^[\da-f-]{36}$/);
  });
  test('the cookie of a message is new each time, even with the same words', () => {
    const send = () => {
      const sent = redirectWithToast(context, '/', 'Saved.');
      return readToast(withCookie(sent.headers.getSetCookie()[0]?.split(';')[0] ?? ''))?.key;
    };
    assert.notEqual(send(), send());
  });
  test('a forged or broken cookie shows no message, or one without a foreign link', () => {
    const toastOf = (value: string) =>
      readToast(withCookie(`belfry_toast=${encodeURIComponent(value)}`));
    for (const value of ['', 'x', 'null', '[]', '{"kind":"done"}', '{"kind":"other","text":"a"}']) {
      assert.equal(toastOf(value), null, value);
    }
    assert.deepEqual(toastOf('{"kind":"done","text":"a","href":"//evil.example","linkText":"b"}'), {
      kind: 'done',
      text: 'a',
    });
    assert.equal(
      toastOf(JSON.stringify({ kind: 'done', text: 'a'.repeat(4000) }))?.text.length,
      500,
    );
  });
});

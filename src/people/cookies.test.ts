import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '#domain/base/instant';
import { FakeClock } from '#demo/fake-clock';
import { readSigned, writeSigned } from './cookies.ts';

/** The headers of a browser that got this `Set-Cookie` value. */
const headersAfter = (setCookie: string) => new Headers({ cookie: setCookie.split(';')[0] ?? '' });

function aCookie() {
  const clock = new FakeClock('2026-01-01T12:00:00Z');
  const config = { baseUrl: 'http://localhost:3000', appKey: new Uint8Array(32) };
  const kind = { name: 'a_test', validMs: 10 * MINUTE_MS };
  const cookie = {
    write: (text: string) => writeSigned({ clock, config }, kind, text),
    read: (headers: Headers) => readSigned({ clock, config }, kind, headers),
  };
  return { clock, cookie };
}

test('a signed cookie is valid for its time and reads back unchanged', async () => {
  const { clock, cookie } = aCookie();
  const headers = headersAfter(cookie.write('a text'));
  assert.equal(cookie.read(headers), 'a text');
  const changed = new Headers({ cookie: (headers.get('cookie') ?? '').replace('=', '=1') });
  assert.equal(cookie.read(changed), null);
  assert.equal(cookie.read(new Headers()), null);
  await clock.advance(10 * MINUTE_MS - 1);
  assert.equal(cookie.read(headers), 'a text');
  await clock.advance(1);
  assert.equal(cookie.read(headers), null);
});

test('a signed cookie of a clock that went ahead for long does not hold until that time', () => {
  const { clock, cookie } = aCookie();
  const headers = headersAfter(cookie.write('a text'));
  // That of another node may be a little behind.
  clock.jumpTo(clock.now() - MINUTE_MS);
  assert.equal(cookie.read(headers), 'a text');
  clock.jumpTo(clock.now() - 60 * MINUTE_MS);
  assert.equal(cookie.read(headers), null);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import decodeQr from 'qr/decode.js';
import { totpOf } from '#testing/authenticator';
import { PASSWORD, useDashboard } from '#testing/dashboard';
import type { Answer } from '#testing/client';

/** The second factor as the pages offer it (§5): by QR code, with new recovery codes later, and a mark per member. */

/** Renders and decodes the QR code of a page. */
function readQrCode(page: string): string {
  const [, size = '', path = ''] =
    /aria-label="QR code of the key[^>]* viewBox="0 0 (\d+) \d+".*?<path d="([^"]+)"/s.exec(page) ??
    [];
  const scale = 4;
  const width = Number(size) * scale;
  const data = new Uint8Array(width * width * 3).fill(255);
  for (const [, x = '', y = ''] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < scale; row++) {
      const from = ((Number(y) * scale + row) * width + Number(x) * scale) * 3;
      data.fill(0, from, from + scale * 3);
    }
  }
  return decodeQr({ width, height: width, data });
}

const dashboard = useDashboard({}, { sends: false });

const page = '/settings/profile';
const unescape = (text: string) => text.replaceAll('&amp;', '&');
const uriOf = ({ text }: Answer) =>
  unescape(/name="otpauth_uri" value="([^"]+)"/.exec(text)?.[1] ?? '');
const codesOf = ({ text }: Answer) =>
  (/<pre>([^<]+)<\/pre>/.exec(text)?.[1] ?? '').trim().split('\n').filter(Boolean);

describe('the second factor', () => {
  test('a second factor has a QR code and renewable recovery codes, and admins see it', async () => {
    const user = await dashboard.user('factor@bells.test', { team: 'Factors' });
    await dashboard.user('without@bells.test', { team: 'Factors', role: 'member' });
    const visitor = await dashboard.signIn(user);
    const begun = await visitor.post(page, { intent: 'begin-second-factor', password: PASSWORD });
    const uri = uriOf(begun);
    assert.match(uri, /^otpauth:\/\/totp\//);
    assert.equal(readQrCode(begun.text), uri);
    const code = totpOf(uri);
    assert.equal((await visitor.post(page, { intent: 'confirm-second-factor', code })).status, 302);

    const old = codesOf(begun);
    const wrong = await visitor.post(page, { intent: 'renew-recovery-codes', password: 'guess' });
    assert.equal(wrong.status, 422);
    assert.deepEqual(codesOf(wrong), [], 'nothing is shown for a wrong password');
    const intent = 'renew-recovery-codes';
    const renewed = codesOf(await visitor.post(page, { intent, password: PASSWORD }));
    assert.equal(renewed.length, old.length);
    assert.ok(old.length > 0 && renewed.every((each) => !old.includes(each)));
    assert.doesNotMatch((await visitor.get(page)).text, new RegExp(renewed[0] ?? 'none'));

    const { text } = await visitor.get('/settings/members');
    const rows = (text.match(/<tr.*?<\/tr>/gs) ?? []).filter((row) => row.includes('@bells.test'));
    assert.equal(rows.length, 2);
    for (const row of rows) {
      const isOn = /data-head="Second factor".*?On</s.test(row);
      assert.equal(isOn, row.includes('factor@bells.test'), row);
    }
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalizeEmail } from '#domain/team/email-address';
import { assertSpends } from '#testing/spent-time';
import { checkEmail, checkName, checkPassword, normalizeName } from './fields.ts';

test('an address is a local part and a domain name, and a hostile one takes no time', async () => {
  for (const text of ['a@b.test', 'A.b+c@x-y.example.org', "o'brien@x.test"]) {
    assert.deepEqual(checkEmail(text), [], text);
  }
  const wrong = `a@b a@@b.test .a@b.test a..b@c.test a.@b.test a@b.c é@b.test a@b.test. @b.test
    a@-b.test a@b_c.test a@[127.0.0.1] ${'a'.repeat(250)}@b.test`;
  for (const text of [...wrong.split(/\s+/), 'a b@c.test'])
    assert.deepEqual(checkEmail(text), ['Enter a valid email address.'], text);
  await assertSpends(50, () => checkEmail(`${'a.'.repeat(1_000_000)}@`));
});

test("letters of other alphabets don't match ASCII letters in emails", () => {
  // In lower case the Kelvin sign is k, and a dotted capital İ begins with i.
  for (const text of ['\u212Aim@bells.test', 'k\u0130m@bells.test', 'kim@bel\u017F.test']) {
    assert.notEqual(normalizeEmail(text), 'kim@bells.test');
    assert.deepEqual(checkEmail(text), ['Enter a valid email address.'], text);
  }
  assert.equal(normalizeEmail(' Kim@BELLS.test '), 'kim@bells.test');
});

test('a long name or password is refused at once', async () => {
  for (const unit of ['\u0344', '\n', '\0', ' x']) {
    const text = `a${unit.repeat(2_000_000 / unit.length)}b`;
    await assertSpends(50, () => {
      assert.equal(checkName(text, 'your name').length, /\p{Cc}/u.test(unit) ? 0 : 1);
      assert.equal(checkPassword(text).length, 1);
    });
  }
});

test('a password has 8 to 128 characters of any kind', () => {
  assert.deepEqual(checkPassword('🔔'.repeat(8)), []);
  assert.deepEqual(checkPassword('🔔'.repeat(128)), []);
  assert.deepEqual(checkPassword('🔔'.repeat(7)), ['Use at least 8 characters.']);
  assert.deepEqual(checkPassword('x'.repeat(129)), ['Use at most 128 characters.']);
  assert.deepEqual(checkPassword(''), ['Enter a password.']);
});

test('a name is one line of at most 100 characters', () => {
  assert.equal(normalizeName('  Ada\r\n\tLovelace '), 'Ada Lovelace');
  assert.deepEqual(checkName(' \n', 'your name'), ['Enter your name.']);
  assert.deepEqual(checkName('🔔'.repeat(100), 'your name'), []);
  assert.deepEqual(checkName('🔔'.repeat(101), 'your name'), ['Use at most 100 characters.']);
});

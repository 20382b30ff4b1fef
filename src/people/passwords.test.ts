import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSpends } from '#testing/spent-time';
import { Passwords } from './passwords.ts';

const LIGHT = { costLog2: 10, passes: 1 };

test('a password opens its own hash, in either spelling of its letters, and nothing else', async () => {
  const passwords = new Passwords(LIGHT);
  const hash = await passwords.hash('caf\u00e9 au lait');
  assert.equal(await passwords.verify('cafe\u0301 au lait', hash), true);
  assert.equal(await passwords.verify('cafe au lait', hash), false);
  assert.notEqual(await passwords.hash('caf\u00e9 au lait'), hash);
  for (const none of [null, 'scrypt$10$1$$']) assert.equal(await passwords.verify('', none), false);
});

test('a hash has its cost, so changing the cost keeps old passwords valid', async () => {
  const hash = await new Passwords(LIGHT).hash('correct horse');
  assert.match(hash, /^scrypt\$10\$1\$[\w-]{22}\$[\w-]{43}$/);
  assert.equal(
    await new Passwords({ costLog2: 11, passes: 2 }).verify('correct horse', hash),
    true,
  );
});

/** `normalize` takes quadratic time to put these in order: minutes for two megabytes. */
const MARKS = `a${'\u0344'.repeat(500_000)}${'\u0316'.repeat(500_000)}`;

test('a password of more than 128 characters is wrong without being normalized', async () => {
  const passwords = new Passwords(LIGHT);
  const longest = '\u{1F514}'.repeat(128);
  const hash = await passwords.hash(longest);
  assert.equal(await passwords.verify(longest, hash), true);
  assert.equal(await passwords.verify(`${longest}x`, hash), false);
  for (const none of [hash, null])
    await assertSpends(50, async () => assert.equal(await passwords.verify(MARKS, none), false));
  const ofNothing = await passwords.hash('');
  assert.equal(await passwords.verify(MARKS, ofNothing), false);
  await assert.rejects(passwords.hash(MARKS), RangeError);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Passwords } from './passwords.ts';

const LIGHT = { costLog2: 10, passes: 1 };

test('a password opens its own hash, in either spelling of its letters, and nothing else', async () => {
  const passwords = new Passwords(LIGHT);
  const hash = await passwords.hash('caf\u00e9 au lait');
  assert.equal(await passwords.verify('cafe\u0301 au lait', hash), true);
  assert.equal(await passwords.verify('cafe au lait', hash), false);
  assert.notEqual(await passwords.hash('caf\u00e9 au lait'), hash);
});

test('nothing opens what is no hash', async () => {
  const passwords = new Passwords(LIGHT);
  for (const hash of [null, 'scrypt$10$1$$']) assert.equal(await passwords.verify('', hash), false);
});

test('a hash says what it cost, so a later change of cost locks nobody out', async () => {
  const hash = await new Passwords(LIGHT).hash('correct horse');
  assert.match(hash, /^scrypt\$10\$1\$[\w-]{22}\$[\w-]{43}$/);
  assert.equal(
    await new Passwords({ costLog2: 11, passes: 2 }).verify('correct horse', hash),
    true,
  );
});

test('many guesses together all get their turn', async () => {
  const passwords = new Passwords(LIGHT);
  const hash = await passwords.hash('right');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => passwords.verify(n === 7 ? 'right' : `wrong ${n}`, hash)),
  );
  assert.deepEqual(
    answers.flatMap((isRight, n) => (isRight ? [n] : [])),
    [7],
  );
});

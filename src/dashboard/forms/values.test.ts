import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listIn, textIn, valuesOf } from './values.ts';

test('a form shows typed values again, the last of several, and never a password', () => {
  const form = new FormData();
  for (const [name, value] of [
    ['name', 'Nightly'],
    ['is_active', '0'],
    ['is_active', '1'],
    ['password', 's3cret'],
    ['current_password', 's3cret'],
    ['answer', '{"id": "passkey"}'],
    ['__proto__', 'x'],
  ] as const)
    form.append(name, value);
  const values = valuesOf(form);
  assert.equal(textIn(values, 'name'), 'Nightly');
  assert.equal(textIn(values, 'is_active'), '1');
  assert.deepEqual(listIn(values, 'is_active'), ['0', '1']);
  assert.deepEqual(listIn(values, 'toString'), []);
  assert.equal(textIn(values, 'url'), undefined);
  assert.doesNotMatch(JSON.stringify(values), /s3cret|passkey/);
});

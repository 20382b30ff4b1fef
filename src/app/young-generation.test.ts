import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';

const PROGRAM = path.resolve('testing/short-lived-objects.ts');

test('short-lived objects are freed by minor garbage collections, although the first ones survived', () => {
  // Without the young generation and the compiled code of the test run.
  const options = { env: {}, encoding: 'utf8' } as const;
  const survived = Number(execFileSync(process.execPath, [PROGRAM], options));
  assert.ok(survived >= 0 && survived < 1 / 3, `${survived} of the bytes`);
});

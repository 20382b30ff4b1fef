import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runQuietly } from './run-quietly.js';

/** What a stream was given, and whether the command succeeded that a node of its own ran. */
async function run(script: string, { isTTY = false, file = process.execPath } = {}) {
  let said = '';
  const out = { isTTY, write: (text: string) => (said += text) !== '' };
  const command = { file, args: ['-e', script], cwd: process.cwd(), env: process.env };
  const succeeded = await runQuietly('Building, once', command, out);
  return { succeeded, said };
}

describe('a command that is run quietly', () => {
  test('a quiet command prints one line and no output if it succeeds', async () => {
    const { succeeded, said } = await run('console.log("a"); console.error("b")');
    assert.deepEqual([succeeded, said], [true, 'Building, once\n']);
  });

  test('a quiet command prints all of its output if it fails', async () => {
    const { succeeded, said } = await run('console.log("a"); console.error("b"); process.exit(3)');
    assert.equal(succeeded, false);
    assert.match(said, /^Building, once\n(?:a\nb|b\na)\n$/);
  });

  test('a quiet command keeps the end of a long output', async () => {
    const { said } = await run('console.log("x".repeat(2e6) + "the cause"); process.exitCode = 1');
    assert.ok(said.length < 300_000);
    assert.match(said, /the cause\n$/);
  });

  test('a quiet command shows on a terminal how long it takes', async () => {
    const { said } = await run('setTimeout(() => {}, 1200)', { isTTY: true });
    assert.match(said, /^Building, once\r.*: 1 s.*\rBuilding, once: done in \d+ s\n$/s);
  });

  test('a quiet command that cannot be started fails with the reason', async () => {
    const { succeeded, said } = await run('', { file: '/nowhere/node' });
    assert.equal(succeeded, false);
    assert.match(said, /ENOENT/);
  });
});

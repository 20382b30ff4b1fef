/** The command line of a checkout: `npm run belfry -- <command>`. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { type Program, runOperator } from '#testing/process';

const PROGRAM: Program = [process.execPath, path.join(import.meta.dirname, 'belfry.js')];

describe('commands of a checkout', () => {
  const folder = makeFolder();
  const databaseUrl = `sqlite:${path.join(folder, 'belfry.db')}`;
  const run = (...words: string[]) => runOperator(words, { folder, databaseUrl, program: PROGRAM });

  test('belfry.js lists the commands without an argument and refuses an unknown one', async () => {
    const printed = await run();
    assert.match(printed.stdout, /^Usage: belfry [^]*\bdoctor\b/);
    assert.equal(printed.code, 0);
    const refused = await run('quit');
    assert.match(refused.stderr, /unknown command 'quit'/);
    assert.equal(refused.code, 1);
  });

  test('commands create the database and work on it', async () => {
    const account = '--email ada@bells.test --password long-enough-to-be-one --team Bells';
    const { code, stderr } = await run('user', 'create', ...account.split(' '));
    assert.equal(code, 0, stderr);
    const { stdout } = await run('doctor');
    assert.match(stdout, /"check":"dashboard","status":"ok"/);
  });
});

/** The command line of a checkout: `npm run belfry -- <command>`. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { type Program, runBelfry } from '#testing/process';

const PROGRAM: Program = [process.execPath, path.join(import.meta.dirname, 'belfry.js')];

describe('commands of a checkout', () => {
  test('belfry.js lists the commands without an argument and refuses an unknown one', async () => {
    const printed = await runBelfry([], { program: PROGRAM });
    assert.match(printed.stdout, /^Usage: belfry [^]*\bdoctor\b/);
    assert.equal(printed.code, 0);
    const refused = await runBelfry(['quit'], { program: PROGRAM });
    assert.match(refused.stderr, /unknown command 'quit'/);
    assert.equal(refused.code, 1);
  });

  test('commands create the database and work on it', async () => {
    const folder = makeFolder();
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await runBelfry(words, { folder, program: PROGRAM });
      assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
      return stdout;
    };
    const account = '--email ada@bells.test --password long-enough-to-be-one --team Bells';
    await run('user', 'create', ...account.split(' '));
    const { stdout } = await runBelfry(['doctor'], { folder, program: PROGRAM });
    assert.match(stdout, /"check":"dashboard","status":"ok"/);
  });
});

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { describeVersion } from '#config/version';
import { packageIfChanged } from './package.ts';
import { COMMIT, EXECUTABLE, ROOT } from './places.ts';

/**
 * A test that runs commands beside a service. `npm test` runs all such tests against the npm package; the executable
 * has the same code and differs in how it finds its parts.
 */
const SUITE = 'src/cli/process.test.ts';
const NAME = 'commands set up a team and start its work next to the service, on one SQLite file';

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(EXECUTABLE, args, {
    encoding: 'utf8',
    env: {},
    cwd: makeFolder(),
    maxBuffer: 16 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}

describe('the executable', () => {
  before(() => packageIfChanged());

  test('the executable prints its version and nothing else', () => {
    assert.deepEqual(run('--version'), {
      status: 0,
      stdout: `${describeVersion(COMMIT || null)}\n`,
      stderr: '',
    });
  });

  test('the executable has the commands of a package, and the licences of its packages', () => {
    for (const [command, texts] of [
      ['help', ['\n  demo ', '\n  licences ']],
      ['licences', ['Belfry contributors', 'pino', 'react-dom', 'Node.js is licensed']],
    ] as const) {
      const { status, stdout } = run(command);
      assert.equal(status, 0);
      for (const text of texts) assert.ok(stdout.includes(text), text);
    }
  });

  test('the executable serves pages without settings and stores its data next to itself', async () => {
    const folder = makeFolder();
    const env = { PORT: '0' };
    const belfry = spawn(EXECUTABLE, [], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let said = '';
      while (!/is ready at [^"]+"/.test(said)) {
        const [chunk] = (await once(belfry.stdout, 'data')) as [Buffer];
        said += chunk.toString();
      }
      const address = /is ready at ([^"]+)"/.exec(said)?.[1] ?? '';
      const page = await (await fetch(`${address}/setup`)).text();
      assert.match(page, /<form/);
      const files = [...new Set(page.match(/\/assets\/[\w.-]+/g))];
      assert.ok(files.length > 3);
      for (const file of files) {
        const answer = await fetch(`${address}${file}`, { headers: { 'Accept-Encoding': 'br' } });
        assert.equal(answer.status, 200, file);
        const isCompressed = answer.headers.get('Content-Encoding') === 'br';
        assert.equal(isCompressed, !file.endsWith('.woff2'), file);
        assert.notEqual(await answer.text(), '');
      }
      assert.deepEqual(fs.readdirSync(folder), ['data']);
      assert.ok(fs.existsSync(path.join(folder, 'data/app.key')));
    } finally {
      belfry.kill();
      await once(belfry, 'exit');
    }
  });

  test(`with the executable ${NAME}`, async () => {
    // A runner inside a runner would report to that one.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const runner = spawn(process.execPath, ['--test', `--test-name-pattern=${NAME}`, SUITE], {
      cwd: ROOT,
      env: { ...env, BELFRY_EXECUTABLE: EXECUTABLE },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [runner.stdout, runner.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(runner, 'close')) as [number | null];
    assert.equal(code, 0, output);
    assert.match(output, /^ℹ pass 1$/m);
  });
});

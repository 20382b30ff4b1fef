import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { takeServingLock } from '#store/serving-lock';

const START = `
  import(${JSON.stringify(new URL('demo.ts', import.meta.url).href)})
    .then(({ runDemo }) => runDemo(async () => process.exit(3)));
`;

function runIn(cwd: string, env: NodeJS.ProcessEnv = {}): Promise<[code: unknown, said: string]> {
  const { promise, resolve } = Promise.withResolvers<[unknown, string]>();
  const options = { cwd, env: { ...process.env, ...env } };
  execFile(process.execPath, ['-e', START], options, (error, _, stderr) =>
    resolve([error?.code ?? 0, stderr]),
  );
  return promise;
}

test('the demo rejects a wrong setting before it makes any data', async () => {
  const cwd = makeFolder();
  const [code, said] = await runIn(cwd, { PORT: 'abc' });
  assert.match(said, /^belfry: PORT: "abc" is not accepted; [^\n]*\n$/);
  assert.equal(code, 2);
  assert.equal(fs.existsSync(path.join(cwd, 'data/demo')), false);
});

test('a second demo refuses to start and leaves the data of the first', async () => {
  const cwd = makeFolder();
  const folder = path.join(cwd, 'data/demo');
  const database = path.join(folder, 'belfry.db');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(database, 'of the first');
  const release = takeServingLock(folder);
  const [code, said] = await runIn(cwd);
  release();
  assert.equal(code, 1);
  assert.match(said, /^belfry: another Belfry process is serving .*demo; stop it first/m);
  assert.equal(fs.readFileSync(database, 'utf8'), 'of the first');
});

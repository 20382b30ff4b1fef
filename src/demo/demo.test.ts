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

test('a second demo refuses to start and leaves the data of the first', async () => {
  const cwd = makeFolder();
  const folder = path.join(cwd, 'data/demo');
  const database = path.join(folder, 'belfry.db');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(database, 'of the first');
  const release = takeServingLock(folder);
  const [code, said] = await new Promise<[unknown, string]>((resolve) => {
    execFile(process.execPath, ['-e', START], { cwd }, (error, _, stderr) =>
      resolve([error?.code ?? 0, stderr]),
    );
  });
  release();
  assert.equal(code, 1);
  assert.match(said, /^belfry: another Belfry process is serving .*demo; stop it first/m);
  assert.equal(fs.readFileSync(database, 'utf8'), 'of the first');
});

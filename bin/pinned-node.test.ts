import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { makeFolder } from '#testing/guard';
import pinned from '../packaging/node/package.json' with { type: 'json' };

const ROOT = dirname(import.meta.dirname);

test('an installed Node that lacks a library fails with the package to install', (t) => {
  if (process.platform === 'win32') return t.skip('a loader of Linux is imitated by a script');
  const folder = makeFolder();
  cpSync(join(import.meta.dirname, 'pinned-node.js'), join(folder, 'bin/pinned-node.mjs'));
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  const loader =
    '#!/bin/sh\necho "error while loading shared libraries: libatomic.so.1" >&2; exit 127\n';
  writeFileSync(join(folder, 'node_modules/.bin/node'), loader, { mode: 0o755 });
  const asOlderNode = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });
    const { isPinnedNode } = await import(${JSON.stringify(pathToFileURL(join(folder, 'bin/pinned-node.mjs')).href)});
    isPinnedNode();`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', asOlderNode],
    { encoding: 'utf8' },
  );
  assert.equal(status, 127);
  assert.match(stderr, /libatomic\.so\.1\nbelfry: Node needs .* apt-get install libatomic1;/);
});

test('a Node that is new enough runs Belfry itself', () => {
  const asNode24 = `Object.defineProperty(process.versions, 'node', { value: '24.0.0' });
    const { isPinnedNode } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'pinned-node.js')).href)});
    console.log(isPinnedNode());`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', asNode24], {
    encoding: 'utf8',
  });
  assert.equal(stdout, 'true\n');
});

test('a script of the tests runs under the pinned Node, with its arguments', () => {
  const script = join(makeFolder(), 'script.js');
  writeFileSync(script, 'console.log(process.version, process.argv.slice(2));');
  const install = join(import.meta.dirname, 'install.js');
  const args = [install, 'tests', relative(ROOT, script), 'a', 'b'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.deepEqual([status, stdout, stderr], [0, `v${pinned.version} [ 'a', 'b' ]\n`, '']);
});

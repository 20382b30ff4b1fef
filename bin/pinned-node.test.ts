import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { makeFolder } from '#testing/guard';

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

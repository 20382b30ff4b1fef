import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ROOT } from './places.ts';

test('a release without a version is refused in words, and changes nothing', () => {
  const read = () => fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8');
  const before = read();
  for (const args of [[], ['next'], ['1.2']]) {
    const script = path.join(ROOT, 'packaging/release.ts');
    const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^belfry: name the version, such as: npm run release -- 0\.2\.0 [^\n]*\n$/,
    );
  }
  assert.equal(read(), before);
});

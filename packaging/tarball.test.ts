import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { describeVersion } from '#config/version';
import { packageIfChanged } from './package.ts';
import { COMMIT } from './places.ts';
import { packTarball } from './tarball.ts';

/** With npm's own settings and caches left out: an empty folder of somebody else's. */
function run(cwd: string, file: string, args: string[]) {
  const env = { PATH: process.env['PATH'], HOME: cwd };
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the npm package', () => {
  let tarball = '';
  const home = makeFolder();
  const installed = path.join(home, 'global/bin/belfry');
  before(async () => {
    await packageIfChanged();
    tarball = await packTarball();
    const install = ['install', '--global', '--offline', '--prefix', 'global', tarball];
    assert.equal(run(home, 'npm', install).status, 0);
  });

  test('the npm package installs no other packages and has its command', () => {
    const modules = path.join(home, 'global/lib/node_modules');
    assert.deepEqual(fs.readdirSync(modules), ['belfry']);
    assert.equal(fs.existsSync(path.join(modules, 'belfry/node_modules')), false);
    assert.deepEqual(run(home, installed, ['--version']), {
      status: 0,
      stdout: `${describeVersion(COMMIT || null)}\n`,
      stderr: '',
    });
  });

  test('the npm package runs by npx and keeps its data in the current folder', () => {
    const folder = makeFolder();
    const name = path.basename(tarball);
    fs.copyFileSync(tarball, path.join(folder, name));
    const words = `user create --email ada@bells.test --password long-enough-to-be-one --team Bells`;
    const command = ['--yes', '--offline', `./${name}`, ...words.split(' ')];
    const { status, stdout, stderr } = run(folder, 'npx', command);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /"apiToken":/);
    assert.deepEqual(fs.readdirSync(path.join(folder, 'data')).toSorted(), [
      'app.key',
      'belfry.db',
    ]);
  });

  test('the npm package on an older Node names the required version and exits', () => {
    const folder = makeFolder();
    const old = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); require(${JSON.stringify(fs.realpathSync(installed))});`;
    const { status, stdout, stderr } = run(folder, process.execPath, ['-e', old]);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^belfry: needs Node 24 or newer, and this is Node 20\.20\.2\. [^\n]+\n$/);
    assert.deepEqual(fs.readdirSync(folder), []);
  });
});

/**
 * `npm run release -- 0.2.0 [--last belfry-0.1.0.tgz]`: updates version and changelog and makes all release files in
 * `dist` (docs/releasing.md). Commits nothing; restores changed files on failure.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { releaseChangelog } from './changelog.ts';
import { ROOT } from './places.ts';

const CHANGED = ['package.json', 'package-lock.json', 'CHANGELOG.md'];

process.chdir(ROOT);
const { values, positionals } = parseArgs({
  options: { last: { type: 'string' } },
  allowPositionals: true,
});
const [version = ''] = positionals;
const last = values.last === undefined ? null : path.resolve(values.last);
const refusal = findRefusal();
if (refusal === null) release();
else {
  process.stderr.write(`belfry: ${refusal}\n`);
  process.exitCode = 2;
}

function findRefusal(): string | null {
  if (!/^\d+\.\d+\.\d+$/.test(version))
    return 'name the version, such as: npm run release -- 0.2.0 --last belfry-0.1.0.tgz';
  if (ask('git', 'status', '--porcelain') !== '')
    return 'commit or put away what is changed first.';
  const tags = ask('git', 'tag', '--list', 'v*').split('\n').filter(Boolean);
  if (tags.includes(`v${version}`)) return `there is a tag v${version} already.`;
  if (tags.length > 0 && last === null)
    return 'name the npm package of the last release with --last: the upgrade from it is tried.';
  if (last !== null && !fs.existsSync(last)) return `${last} is not there.`;
  return null;
}

function release(): void {
  const before = CHANGED.map((name) => [name, fs.readFileSync(name)] as const);
  try {
    const day = new Date().toISOString().slice(0, 10);
    const changelog = fs.readFileSync('CHANGELOG.md', 'utf8');
    fs.writeFileSync('CHANGELOG.md', releaseChangelog(changelog, version, day));
    run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
    run(process.execPath, 'packaging/hand-out.ts');
    tryUpgrade();
  } catch (fault) {
    for (const [name, content] of before) fs.writeFileSync(name, content);
    process.stderr.write(`belfry: not released: ${(fault as Error).message}\n`);
    process.exitCode = 1;
    return;
  }
  process.stdout.write(`\nNow: git commit -am 'release: ${version}' && git tag v${version}\n`);
}

function tryUpgrade(): void {
  if (last === null) {
    process.stdout.write('No release before this one, so no upgrade was tried.\n');
    return;
  }
  process.env['BELFRY_LAST_RELEASE'] = last;
  run(process.execPath, '--test', 'packaging/upgrade.test.ts');
}

function ask(file: string, ...args: string[]): string {
  return execFileSync(file, args, { encoding: 'utf8' }).trim();
}

function run(file: string, ...args: string[]): void {
  execFileSync(file, args, { stdio: 'inherit' });
}

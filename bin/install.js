// `node bin/install.js [tests]`: installs the packages that `npm ci` leaves out, if they are missing: the pinned Node,
// for packages and tests, and with `tests` everything that tests and checks need.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const readJson = (path) => JSON.parse(readFileSync(at(path), 'utf8'));
const isInstalled = (name) => existsSync(at(`node_modules/${name}/package.json`));

const { devDependencies } = readJson('package.json');
const { optionalDependencies: nodes } = readJson('packaging/node/package.json');
const platform = `${process.platform.replace('win32', 'win')}-${process.arch}`;
const node = Object.keys(nodes).find((name) => name.endsWith(platform));

const wantsTests = process.argv[2] === 'tests';
const hasTests = Object.keys(devDependencies).every(isInstalled);
const lacksNode = node !== undefined && nodes[node] !== process.versions.node && !isInstalled(node);

if (lacksNode || (wantsTests && !hasTests)) {
  process.stderr.write('Installing the packages of tests and builds, once.\n');
  // Named, because a newer Node that runs npm would remove it (packaging/node).
  const named = node === undefined ? [] : [`${node}@${nodes[node]}`];
  const include = wantsTests || hasTests ? ['--include=dev'] : [];
  const npm = process.env.npm_execpath ?? 'npm';
  const args = ['install', '--no-save', '--no-audit', '--no-fund', ...include, ...named];
  const command = /\.[cm]?js$/.test(npm) ? [process.execPath, [npm, ...args]] : [npm, args];
  const { status } = spawnSync(...command, { cwd: at(''), stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

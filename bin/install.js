// `node bin/install.js [tests] SCRIPT`: runs a script of tests or builds under the pinned Node. First it installs what
// `npm ci` leaves out, if it is missing: that Node, and with `tests` the packages of tests and checks.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const readJson = (path) => JSON.parse(readFileSync(at(path), 'utf8'));
const isInstalled = (name) => existsSync(at(`node_modules/${name}/package.json`));

const { devDependencies } = readJson('package.json');
const { optionalDependencies: nodes } = readJson('packaging/node/package.json');
const platform = `${process.platform.replace('win32', 'win')}-${process.arch}`;
const node = Object.keys(nodes).find((name) => name.endsWith(platform));
const isPinned = node === undefined || nodes[node] === process.versions.node;

const [first, ...others] = process.argv.slice(2);
const wantsTests = first === 'tests';
const [script, ...args] = wantsTests ? others : [first, ...others];

if (install()) await run();

function install() {
  const hasTests = Object.keys(devDependencies).every(isInstalled);
  if ((isPinned || isInstalled(node)) && (hasTests || !wantsTests)) return true;
  process.stderr.write('Installing the packages of tests and builds, once.\n');
  // Named, because a newer Node that runs npm would remove it (packaging/node).
  const named = node === undefined ? [] : [`${node}@${nodes[node]}`];
  const include = wantsTests || hasTests ? ['--include=dev'] : [];
  const words = ['install', '--no-save', '--no-audit', '--no-fund', ...include, ...named];
  const npm = process.env.npm_execpath ?? 'npm';
  const [file, before] = /\.[cm]?js$/.test(npm) ? [process.execPath, [npm]] : [npm, []];
  const { status } = spawnSync(file, [...before, ...words], { cwd: at(''), stdio: 'inherit' });
  process.exitCode = status ?? 1;
  return status === 0;
}

async function run() {
  if (isPinned) {
    process.argv.splice(1, process.argv.length, at(script), ...args);
    await import(new URL(`../${script}`, import.meta.url).href);
    return;
  }
  const file = at(`node_modules/${node}/bin/node${process.platform === 'win32' ? '.exe' : ''}`);
  const child = spawn(file, [at(script), ...args], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}

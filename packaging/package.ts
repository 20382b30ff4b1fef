import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { VERSION } from '#config/version';
import { bundlePrograms } from './bundle.ts';
import { buildExecutable } from './executable.ts';
import { writeLicences } from './licences.ts';
import { COMMIT, EXECUTABLE, PACKAGE, ROOT, TESTED_PACKAGE } from './places.ts';

let packaged: Promise<void> | null = null;

/**
 * Unless both exist for these sources. Looks once in this process.
 * @throws if the dashboard can't be built; the reason is on standard error
 */
export function packageIfChanged(): Promise<void> {
  return (packaged ??= makeBoth());
}

async function makeBoth(): Promise<void> {
  buildDashboard();
  const hash = hashSources();
  await makeIfChanged(PACKAGE, hash, takePackage);
  await makeIfChanged(EXECUTABLE, hash, writeExecutable);
}

/** Unless they exist for these sources. */
export async function packageForTestsIfChanged(): Promise<void> {
  buildDashboard();
  await makeIfChanged(TESTED_PACKAGE, hashSources(), writePackage);
}

/** Copies the package for tests if its sources are the same. */
async function takePackage(folder: string): Promise<void> {
  if (!isMadeFrom(TESTED_PACKAGE, hashSources())) return writePackage(folder);
  fs.rmSync(folder, { recursive: true, force: true });
  // Processes write their compile cache into the folder.
  const filter = (file: string) => path.basename(file) !== 'compile-cache';
  fs.cpSync(TESTED_PACKAGE, folder, { recursive: true, filter });
}

/** @param hash of the sources; stored in `build` */
async function makeIfChanged(
  place: string,
  hash: string,
  make: (place: string) => Promise<void>,
): Promise<void> {
  if (isMadeFrom(place, hash)) return;
  const mark = markOf(place);
  fs.rmSync(mark, { force: true });
  await make(place);
  fs.writeFileSync(mark, hash);
}

const markOf = (place: string) => path.join(ROOT, 'build', `${path.basename(place)}.sources`);

function isMadeFrom(place: string, hash: string): boolean {
  const mark = markOf(place);
  return fs.existsSync(place) && fs.existsSync(mark) && fs.readFileSync(mark, 'utf8') === hash;
}

/** Does nothing if it exists for its sources, which are more than those below. */
function buildDashboard(): void {
  const builder = path.join(ROOT, 'bin/build-dashboard.js');
  const { status } = spawnSync(process.execPath, [builder], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the dashboard could not be built');
}

async function writePackage(folder: string): Promise<void> {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  await bundlePrograms(folder);
  fs.cpSync(path.join(ROOT, 'build/dashboard/client'), path.join(folder, 'dashboard'), {
    recursive: true,
  });
  for (const name of ['LICENSE', 'CHANGELOG.md']) {
    fs.copyFileSync(path.join(ROOT, name), path.join(folder, name));
  }
  fs.copyFileSync(path.join(ROOT, 'packaging/README.md'), path.join(folder, 'README.md'));
  fs.copyFileSync(path.join(ROOT, 'packaging/launch.js'), path.join(folder, 'belfry.js'));
  fs.chmodSync(path.join(folder, 'belfry.js'), 0o755);
  fs.writeFileSync(path.join(folder, 'licences.txt'), writeLicences());
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(MANIFEST, null, 2)}\n`);
}

/** Dependencies are in the bundle. */
const MANIFEST = {
  name: 'belfry',
  version: VERSION,
  description: 'A self-hosted service for scheduled and delayed HTTP requests.',
  license: 'MIT',
  type: 'commonjs',
  bin: { belfry: 'belfry.js' },
  // belfry.js rejects an older Node; npm only warns.
  engines: { node: '>=24' },
};

/** First under another name, so that no one runs half of it. */
async function writeExecutable(file: string): Promise<void> {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  try {
    await buildExecutable(PACKAGE, draft);
    fs.renameSync(draft, file);
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

const SOURCES = [
  'src',
  'packaging',
  'bin',
  'package-lock.json',
  'CHANGELOG.md',
  'build/dashboard/source-hash',
];

function hashSources(): string {
  const hash = createHash('sha256').update(process.version).update(VERSION).update(COMMIT);
  for (const file of SOURCES.flatMap(listFiles).toSorted()) {
    hash.update(`\0${path.relative(ROOT, file)}\0`).update(fs.readFileSync(file));
  }
  return hash.digest('hex');
}

function listFiles(source: string): string[] {
  const place = path.join(ROOT, source);
  if (fs.statSync(place).isFile()) return [place];
  return fs
    .readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

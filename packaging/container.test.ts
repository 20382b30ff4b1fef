/** The container image: what it is built from, what its executable needs, and, with podman, the image itself. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeGuardedFolder } from '#testing/guard';
import { eventually } from '#testing/wait';
import { describeVersion } from '#config/version';
import { buildContents } from './executable.ts';
import { packageIfChanged } from './package.ts';
import { COMMIT, EXECUTABLE, PACKAGE, ROOT, TESTED_PACKAGE } from './places.ts';

const read = (name: string) => fs.readFileSync(path.join(ROOT, name), 'utf8');
/** `npm run test:full` also builds the executable twice. */
const isFull = process.env['BELFRY_FULL'] === '1';
const isLinux = process.platform === 'linux';

before(() => packageIfChanged());

describe('the build context of the container', () => {
  const places = readPlaces(read('.dockerignore'));
  const isInContext = (file: string) => places.some((place) => `${file}/`.startsWith(`${place}/`));

  test('the build context holds no key, password, database or earlier build', () => {
    const secret =
      'app.key database.password database.url belfry.env .env belfry.db belfry.db-wal ' +
      'data/belfry.db data/app.key dist/belfry-0.0.9-linux-x64 build/package/belfry.cjs ' +
      'node_modules/pg/package.json .git/config';
    const files = `${secret} package.json`.split(' ');
    assert.deepEqual(files.filter(isInContext), ['package.json']);
  });

  test('the package builds from the build context alone, with the same bytes as the checkout', async () => {
    // On the disk of node_modules, which is linked file by file: as a link of a folder it would have another path.
    const folder = makeGuardedFolder(path.join(ROOT, 'build'));
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
    for (const file of tracked.split('\0').filter(isInContext)) {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      fs.copyFileSync(path.join(ROOT, file), path.join(folder, file));
    }
    execFileSync('cp', [isLinux ? '-al' : '-a', path.join(ROOT, 'node_modules'), folder]);
    const there = (file: string) => path.join(folder, path.relative(ROOT, file));
    const { status, stderr } = spawnSync(
      process.execPath,
      [isFull ? 'packaging/run.ts' : 'packaging/for-tests.ts'],
      { cwd: folder, env: { ...process.env, BELFRY_COMMIT: COMMIT }, encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);
    const made = there(isFull ? PACKAGE : TESTED_PACKAGE);
    for (const name of ['belfry.cjs', 'sqlite-worker.cjs', 'licences.txt', 'package.json'])
      assertSameBytes(path.join(made, name), path.join(PACKAGE, name));
    // Writing these contents into a copy of Node takes five seconds of processor time.
    await buildContents(PACKAGE, path.join(folder, 'contents'));
    await buildContents(made, path.join(folder, 'contents-again'));
    assertSameBytes(path.join(folder, 'contents-again'), path.join(folder, 'contents'));
    if (isFull) assertSameBytes(there(EXECUTABLE), EXECUTABLE);
  });
});

/** `.dockerignore` leaves out everything but the places after a `!`. */
function readPlaces(ignore: string): string[] {
  const lines = ignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(lines.shift(), '*');
  return lines.map((line) => /^!([\w./-]+)$/.exec(line)?.[1] ?? assert.fail(line));
}

function assertSameBytes(file: string, expected: string): void {
  assert.ok(fs.readFileSync(file).equals(fs.readFileSync(expected)), file);
}

/** Libraries that come with the C library. */
const OF_C = /^(libc|libm|libdl|libpthread|ld-linux[\w-]*)\.so\.\d+$/;
/** The others, and the Debian packages that have them. */
const LIBRARIES: Readonly<Record<string, string>> = {
  'libatomic.so.1': 'libatomic1',
  'libstdc++.so.6': 'libstdc++6',
  'libgcc_s.so.1': 'libgcc-s1',
};
/** Those that debian:bookworm-slim lacks. */
const MISSING = ['libatomic.so.1'];

describe('the shared libraries of the executable', { skip: !isLinux && 'not on Linux' }, () => {
  const needed = () => {
    const listed = execFileSync('ldd', [EXECUTABLE], { encoding: 'utf8' });
    const names = Array.from(listed.matchAll(/^\s+(\S+) =>/gm), ([, name = '']) => name);
    return names.filter((name) => !OF_C.test(name));
  };

  test('README and the install guide name every library that the executable needs', () => {
    assert.deepEqual(needed().toSorted(), Object.keys(LIBRARIES).toSorted());
    const guide = read('docs/guides/install.md');
    for (const name of needed()) assert.ok(guide.includes(`\`${LIBRARIES[name]}\``), name);
    for (const name of MISSING) assert.ok(read('README.md').includes(`\`${LIBRARIES[name]}\``));
  });

  test('the Containerfile copies the libraries that slim Debian lacks', () => {
    const [, image = ''] = read('Containerfile').split(/^FROM .*debian:bookworm-slim$/m);
    const copied = [...image.matchAll(/^COPY --from=build \/out\/(lib\S+) \/usr\/lib\/$/gm)];
    assert.deepEqual(
      copied.map(([, name]) => name),
      MISSING,
    );
  });
});

describe('the image', () => {
  // Short, because podman takes at most 50 characters.
  const folder = makeGuardedFolder(os.tmpdir());
  const podman: Podman = (...args) =>
    spawnSync('podman', ['--root', `${folder}/root`, '--runroot', `${folder}/run`, ...args], {
      encoding: 'utf8',
      cwd: folder,
    });
  const build = (...args: string[]) =>
    podman('build', '--quiet', '--layers=false', '--network=none', ...args, '.');

  after(() => {
    if (fs.existsSync(`${folder}/root`)) podman('rmi', '--all', '--force');
  });

  test('the image runs without root, read-only, is healthy and stops with exit code 0', async (t) => {
    if (spawnSync('podman', ['--version']).error) return t.skip('there is no podman');
    if (findLibrary('libc.so.6') === null)
      return t.skip('the libraries are not where Debian has them');
    makeBase(folder, podman);
    const tried = podman('run', '--rm', ...CONFINED, BASE, TRUE);
    if (isEngineFault(tried)) return t.skip(`podman runs nothing here: ${tried.stderr}`);
    fs.mkdirSync(path.join(folder, 'out/data'), { recursive: true });
    fs.copyFileSync(EXECUTABLE, path.join(folder, 'out/belfry'));
    for (const library of MISSING)
      fs.copyFileSync(String(findLibrary(library)), path.join(folder, 'out', library));
    // The package step has a test of its own above; npm ci would need the internet.
    const [, image = ''] = read('Containerfile').split(/^(?=FROM .*debian)/m);
    fs.writeFileSync(
      path.join(folder, 'Containerfile'),
      `FROM scratch AS build\nCOPY out /out\n${image}`,
    );
    const built = build('--format=docker', '--tag=belfry');
    assert.equal(built.status, 0, built.stderr);

    const started = podman('run', '--detach', '--name=belfry', ...CONFINED, 'belfry');
    assert.equal(started.status, 0, started.stderr);
    try {
      const ask = () => podman('healthcheck', 'run', 'belfry').status === 0;
      await eventually(ask, { what: podman('logs', 'belfry').stdout });
      assert.equal(
        podman('exec', 'belfry', 'belfry', '--version').stdout,
        `${describeVersion(COMMIT || null)}\n`,
      );
      const pid = podman('inspect', '--format={{.State.Pid}}', 'belfry').stdout.trim();
      const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
      assert.doesNotMatch(status, /^Uid:\s+0\b/m);
      assert.match(status, /^CapEff:\s+0+$/m);
      assert.equal(podman('stop', '--time=60', 'belfry').status, 0);
      assert.equal(podman('inspect', '--format={{.State.ExitCode}}', 'belfry').stdout, '0\n');
    } finally {
      podman('rm', '--force', '--volumes', 'belfry');
    }
  });
});

const LIMIT = '1024:1024';
/** The limits are those that a user without privileges may set. */
const CONFINED = [
  '--read-only',
  '--cap-drop=ALL',
  '--network=none',
  // Ends it if this process is killed.
  '--timeout=600',
  `--ulimit=nofile=${LIMIT}`,
  `--ulimit=nproc=${LIMIT}`,
];

type Podman = (...args: string[]) => SpawnSyncReturns<string>;

const BASE = 'docker.io/library/debian:bookworm-slim';
/** With it a test finds out whether podman can run a program here. */
const TRUE = '/usr/bin/true';

/** A base image with the libraries of debian:bookworm-slim and `true`, from those of this machine. */
function makeBase(folder: string, podman: Podman): void {
  const base = path.join(folder, 'base');
  for (const library of [...listLibraries(), TRUE]) {
    if (MISSING.includes(path.basename(library))) continue;
    fs.mkdirSync(path.join(base, path.dirname(library)), { recursive: true });
    fs.copyFileSync(library, path.join(base, library));
  }
  const archive = path.join(folder, 'base.tar');
  execFileSync('tar', ['-C', base, '-cf', archive, '.']);
  const imported = podman('import', archive, BASE);
  assert.equal(imported.status, 0, imported.stderr);
}

/** The files of the libraries that this Node has loaded; the executable holds the same Node. */
function listLibraries(): string[] {
  const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] };
  return sharedObjects.filter((file) => {
    const name = path.basename(file);
    return path.isAbsolute(file) && (OF_C.test(name) || name in LIBRARIES);
  });
}

/** The file of a library, where Debian's loader looks for it; null if this machine keeps it elsewhere. */
function findLibrary(name: string): string | null {
  const file = listLibraries().find((each) => path.basename(each) === name);
  return file !== undefined && /\/lib\/[\w-]+-linux-gnu\//.test(file) ? file : null;
}

/** Whether podman failed before it ran the program: on a machine that is a container itself, it may not run any. */
const isEngineFault = ({ status, stderr }: SpawnSyncReturns<string>) =>
  status !== null && status >= 125 && /OCI|crun|runc|cgroup/.test(stderr);

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DIST, PACKAGE, TARBALL } from './places.ts';

const run = promisify(execFile);

/** Packs the folder of `packageIfChanged`. @returns the path */
export async function packTarball(): Promise<string> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  await run(npm, ['pack', '--silent', '--pack-destination', DIST, PACKAGE], {
    shell: process.platform === 'win32',
  });
  return TARBALL;
}

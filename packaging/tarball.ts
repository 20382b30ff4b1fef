import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DIST, PACKAGE, TARBALL } from './places.ts';

const run = promisify(execFile);

let packed: Promise<string> | null = null;

/** Packs the folder of `packageIfChanged`, once in this process. @returns the path */
export function packTarball(): Promise<string> {
  return (packed ??= pack());
}

async function pack(): Promise<string> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  await run(npm, ['pack', '--silent', '--pack-destination', DIST, PACKAGE], {
    shell: process.platform === 'win32',
  });
  return TARBALL;
}

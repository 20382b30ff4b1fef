import path from 'node:path';
import { readCommit, VERSION } from '#config/version';

export const ROOT = path.dirname(import.meta.dirname);
/** Empty if unknown, as in a build context without `.git`. */
export const COMMIT = process.env['BELFRY_COMMIT'] ?? readCommit() ?? '';
/** The executable has the same files. */
export const PACKAGE = path.join(ROOT, 'build/package');
/** For tests, whose processes leave compiled code in it. */
export const TESTED_PACKAGE = path.join(ROOT, 'build/tested-package');
export const DIST = path.join(ROOT, 'dist');

const suffix = process.platform === 'win32' ? '.exe' : '';
export const EXECUTABLE = path.join(
  DIST,
  `belfry-${VERSION}-${process.platform}-${process.arch}${suffix}`,
);
export const TARBALL = path.join(DIST, `belfry-${VERSION}.tgz`);

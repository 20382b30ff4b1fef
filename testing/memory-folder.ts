import fs from 'node:fs';
import { makeGuardedFolder } from './guard.ts';

const MEMORY = '/dev/shm';
/** More than all tests leave at one time. */
const LEAST_FREE_BYTES = 2 * 1024 ** 3;

/**
 * Makes a folder in memory, where a commit takes a hundredth of the time that a disk takes to keep it; tests kill
 * processes, not machines. It is removed when this process ends.
 *
 * @returns null where there is no such memory, it is small, or no program may run there
 */
export function makeMemoryFolder(): string | null {
  try {
    const mount = fs
      .readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, place]) => place === MEMORY);
    const [, , kind, options = ''] = mount ?? [];
    if (kind !== 'tmpfs' || options.split(',').includes('noexec')) return null;
    const { bavail, bsize } = fs.statfsSync(MEMORY);
    return bavail * bsize < LEAST_FREE_BYTES ? null : makeGuardedFolder(MEMORY);
  } catch {
    return null;
  }
}

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { guardMount, makeFolder } from '#testing/guard';

/** A real disk of a few megabytes that can be filled up. */
export interface SmallDisk extends Disposable {
  folder: string;
  fill(): void;
  freeSpace(): void;
}

/** Mounting takes root's rights on Linux. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0;

/** @param uid  the owner. Default: root */
export function mountSmallDisk(megabytes: number, folder = makeFolder(), uid = 0): SmallDisk {
  const options = `size=${megabytes}m,mode=0700,uid=${uid}`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  const unmount = guardMount(folder);
  const filler = path.join(folder, 'filler');
  return {
    folder,
    fill: () => fillUp(filler),
    freeSpace: () => fs.rmSync(filler, { force: true }),
    [Symbol.dispose]: unmount,
  };
}

/** Writes page by page: the last large write would succeed in part. */
function fillUp(filler: string): void {
  const file = fs.openSync(filler, 'a');
  try {
    for (;;) fs.writeSync(file, Buffer.alloc(4096, 1));
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error;
  } finally {
    fs.closeSync(file);
  }
}

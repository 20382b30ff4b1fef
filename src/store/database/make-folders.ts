import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * For their owner only. Node's `recursive` never returns if a file system rejects entries in an existing folder
 * (/proc).
 */
export function makeFolders(folder: string): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolders(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (fault) {
    // Another process may have made it.
    if (!isFolder(folder)) throw fault;
  }
}

const isFolder = (path: string) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

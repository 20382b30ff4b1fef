/**
 * A process of `npm test` takes test files from a list that all processes share, until none is left: so each starts
 * once, loads the rooms and the browser once, and all end at about the same time.
 */
import { AsyncResource } from 'node:async_hooks';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, describe, test } from 'node:test';

const ROOT = path.dirname(import.meta.dirname);
const require = createRequire(import.meta.url);

let followingFiles = false;
const atLastFile = new Set<() => void>();

/**
 * Calls it when the last test file of this process has ended.
 *
 * @returns false where no list of files is taken here, and nobody knows which file is the last
 */
export function whenFilesEnd(callback: () => void): boolean {
  if (followingFiles) atLastFile.add(callback);
  return followingFiles;
}

/** Writes a list of groups of files, which one process each will take; gives its folder. */
export function writeList(folder: string, groups: readonly (readonly string[])[]): string {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'groups.json'), JSON.stringify(groups));
  return folder;
}

/** Declares the tests of the first group that no process has taken yet, and of the next when they have ended. */
export function takeFiles(list: string): void {
  const groups = JSON.parse(fs.readFileSync(path.join(list, 'groups.json'), 'utf8')) as string[][];
  // What is declared within it belongs to no test, even while another ends.
  const outside = new AsyncResource('test files');
  let waiting: string[] = [];
  let at = 0;
  followingFiles = true;
  const next = (): void => {
    while (waiting.length === 0 && at < groups.length) {
      if (isTaken(path.join(list, String(at)))) waiting = [...(groups[at] ?? [])];
      at++;
    }
    const file = waiting.shift();
    if (file !== undefined) return declare(file, () => outside.runInAsyncScope(next));
    followingFiles = false;
    for (const callback of atLastFile) callback();
  };
  next();
}

/** Whether this process is the first that asks. */
function isTaken(mark: string): boolean {
  try {
    fs.mkdirSync(mark);
    return true;
  } catch {
    return false;
  }
}

/**
 * The file is loaded at once, without a promise in between, so that its tests and hooks belong to its suite: the runner
 * does not follow promises (untracked-promises.cjs).
 */
function declare(file: string, hasEnded: () => void): void {
  describe(file, () => {
    try {
      require(path.resolve(ROOT, file));
    } catch (error) {
      // A suite that fails is none of the totals.
      test('can be loaded', () => {
        throw error;
      });
    } finally {
      // Behind what the file itself does after its tests.
      after(hasEnded);
    }
  });
}

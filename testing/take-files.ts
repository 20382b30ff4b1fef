/**
 * A process of `npm test` takes test files from a list that processes share, until none is left: it loads the modules
 * and the browser once, and all processes end at about the same time.
 */
import { AsyncResource } from 'node:async_hooks';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, describe, test } from 'node:test';

const require = createRequire(import.meta.url);

/**
 * Declares the tests of the first file that no process has taken yet, and of the next when they have ended.
 *
 * @param folder  has the list in files.json
 */
export function takeFiles(folder: string): void {
  const files = JSON.parse(fs.readFileSync(path.join(folder, 'files.json'), 'utf8')) as string[];
  // What is declared within it belongs to no test, even while another ends.
  const outside = new AsyncResource('test files');
  let at = 0;
  const next = (): void => {
    while (at < files.length && isTaken(path.join(folder, String(at)))) at++;
    const file = files[at++];
    if (file !== undefined) declare(file, () => outside.runInAsyncScope(next));
  };
  next();
}

/** Takes a file, unless another process has. */
function isTaken(mark: string): boolean {
  try {
    fs.mkdirSync(mark);
    return false;
  } catch {
    return true;
  }
}

/**
 * The file is loaded at once, without a promise in between, so that its tests and hooks belong to its suite: the runner
 * does not follow promises (untracked-promises.cjs).
 */
function declare(file: string, hasEnded: () => void): void {
  describe(file, () => {
    try {
      require(path.resolve(file));
    } catch (error) {
      // A failed suite is not in the totals.
      test('can be loaded', () => {
        throw error;
      });
    } finally {
      // Behind the hooks of the file itself.
      after(hasEnded);
    }
  });
}

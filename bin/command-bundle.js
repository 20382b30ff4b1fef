import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The commands as a few files in place of hundreds, which is what takes their time. bin/bundle-commands.js writes them
 * into a folder that is named by what they were made from.
 *
 * @param {string} root
 */
export const bundlesIn = (root) => join(root, 'build', 'commands');

/** Tells which of the folders was made last, and from which files. */
export const LAST = 'last.json';

/**
 * @param {string} root
 * @param {readonly (readonly [name: string, content: string])[]} sources
 */
export function hashSources(root, sources) {
  const hash = createHash('sha256').update(resolve(root));
  for (const [name, content] of sources) hash.update(`\0${name}\0${content}`);
  return hash.digest('hex').slice(0, 32);
}

/**
 * The file to run, or null unless every source is as it was when that was made.
 *
 * @param {string} root
 * @returns {string | null}
 */
export function findCommandBundle(root) {
  try {
    const bundles = bundlesIn(root);
    const { hash, files } = JSON.parse(readFileSync(join(bundles, LAST), 'utf8'));
    const sources = files.map((file) => [file, readFileSync(join(root, file), 'utf8')]);
    const main = join(bundles, hash, 'main.js');
    // After a power failure it may be there without what was written into it.
    return hashSources(root, sources) === hash && statSync(main).size > 0 ? main : null;
  } catch {
    return null;
  }
}

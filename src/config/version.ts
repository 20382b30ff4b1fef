import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import manifest from '#manifest' with { type: 'json' };

/** Set by the bundler; empty without a checkout. */
declare const BELFRY_COMMIT: string | undefined;

export const VERSION: string = manifest.version;

/** Null if unknown. */
export function readCommit(): string | null {
  if (typeof BELFRY_COMMIT === 'string') return BELFRY_COMMIT || null;
  return readHead(join(import.meta.dirname, '../..', '.git'));
}

/** `0.1.0 (commit 714b3ec0a1b2)` */
export function describeVersion(commit = readCommit()): string {
  return commit === null ? VERSION : `${VERSION} (commit ${commit.slice(0, 12)})`;
}

/**
 * Works without git.
 * @param folder `.git`: a folder, or in a worktree a file that names one
 */
export function readHead(folder: string): string | null {
  try {
    if (statSync(folder).isFile()) {
      const [, other = ''] = /^gitdir: (.+)/.exec(readFileSync(folder, 'utf8')) ?? [];
      return readHead(resolve(dirname(folder), other));
    }
    const head = readFileSync(join(folder, 'HEAD'), 'utf8').trim();
    const [, ref] = /^ref: (.+)/.exec(head) ?? [];
    return ref === undefined ? head : readRef(folder, ref);
  } catch {
    return null;
  }
}

function readRef(folder: string, ref: string): string | null {
  const common = resolve(folder, readOptional(join(folder, 'commondir'))?.trim() ?? '.');
  const loose = readOptional(join(common, ref))?.trim();
  if (loose !== undefined) return loose;
  const packed = readOptional(join(common, 'packed-refs')) ?? '';
  const line = packed.split('\n').find((each) => each.endsWith(` ${ref}`));
  return line?.split(' ')[0] ?? null;
}

function readOptional(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { VERSION } from '#config/version';
import { DIST, ROOT } from './places.ts';

/** Files that a container engine needs next to the build context. */
const ENGINE_FILES = ['.dockerignore', 'Containerfile', 'compose.yaml'];

export function listContext(): string[] {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  const ignore = fs.readFileSync(path.join(ROOT, '.dockerignore'), 'utf8');
  return filterContext(ignore, tracked.split('\0').filter(Boolean));
}

/** Fixed times and owners: equal files give equal bytes. @returns the path */
export function packContext(): string {
  const files = [...new Set([...ENGINE_FILES, ...listContext()])].toSorted();
  const fixed = ['--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  const root = `--transform=s,^,belfry-${VERSION}/,`;
  const archive = execFileSync('tar', ['--create', ...fixed, root, '--files-from=-'], {
    cwd: ROOT,
    input: `${files.join('\n')}\n`,
    maxBuffer: 64 * 1024 * 1024,
  });
  const file = path.join(DIST, `belfry-${VERSION}-container.tar.gz`);
  fs.writeFileSync(file, gzipSync(archive, { level: 9 }));
  return file;
}

/** @param ignore the content of .dockerignore, which leaves out everything but the places after a `!` */
export function filterContext(ignore: string, files: readonly string[]): string[] {
  const lines = ignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const [first, ...others] = lines;
  if (first !== '*' || !others.every((line) => /^![\w./-]+$/.test(line)))
    throw new Error('.dockerignore has a pattern that is not understood here');
  const kept = others.map((line) => line.slice(1));
  return files.filter((file) => kept.some((place) => `${file}/`.startsWith(`${place}/`)));
}

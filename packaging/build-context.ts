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

/**
 * @param ignore the content of .dockerignore; its last pattern that matches a file or one of
 * its folders decides
 */
export function filterContext(ignore: string, files: readonly string[]): string[] {
  const rules = ignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ keeps: line.startsWith('!'), matches: readPattern(line.replace(/^!/, '')) }));
  return files.filter((file) => {
    const places = listPlaces(file);
    const last = rules.findLast(({ matches }) => places.some((place) => matches.test(place)));
    return last?.keeps ?? true;
  });
}

/** The file and the folders it is in: `a`, `a/b`, `a/b/c.ts`. */
function listPlaces(file: string): string[] {
  const parts = file.split('/');
  return parts.map((_, n) => parts.slice(0, n + 1).join('/'));
}

/** Unlike a shell, `*` also matches a dot at the start of a name. */
function readPattern(pattern: string): RegExp {
  const parts = pattern.match(/\*\*\/?|[^]/g) ?? [];
  const patterns: Record<string, string> = {
    '*': '[^/]*',
    '?': '[^/]',
    '**': '.*',
    '**/': '(.*/)?',
  };
  return new RegExp(`^${parts.map((part) => patterns[part] ?? RegExp.escape(part)).join('')}$`);
}

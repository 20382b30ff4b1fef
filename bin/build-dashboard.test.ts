import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { SOURCES } from './build-dashboard.js';

const SRC = fileURLToPath(new URL('../src', import.meta.url));
const IMPORT = /^(?:import|export) (?!type )([^;]*?) from '([.#][^']+)'/gm;

/** The files of ours that a file needs when it runs. */
function importsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].flatMap(([, names = '', from = '']) => {
    const isOnlyTypes = /^\{(\s*type \w+( as \w+)?,?)+\s*\}$/.test(names);
    const path = from.startsWith('#')
      ? join(SRC, `${from.slice(1)}.ts`)
      : join(dirname(file), from);
    return isOnlyTypes || !existsSync(path) || !/\.tsx?$/.test(path) ? [] : [path];
  });
}

test('a change of any file that the build holds is a change of the build', () => {
  const pages = readdirSync(join(SRC, 'dashboard'), { recursive: true, withFileTypes: true });
  const files = new Set(
    pages
      .filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of files) for (const path of importsOf(file)) files.add(path);
  assert.ok(
    files.has(join(SRC, 'domain/base/duration-words.ts')),
    'what the pages import is followed',
  );
  const isHashed = (file: string) =>
    SOURCES.some((source) => !relative(source, file).startsWith('..'));
  const missed = [...files].filter((file) => !isHashed(file)).map((file) => relative(SRC, file));
  assert.deepEqual(missed, []);
});

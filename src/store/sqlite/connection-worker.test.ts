import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

/** The files that loading this one loads, by its `import` and `export` statements; types and `import()` are ignored. */
function findLoaded(file: string, found = new Map<string, string[]>()): Map<string, string[]> {
  if (found.has(file)) return found;
  const statements = fs
    .readFileSync(file, 'utf8')
    .matchAll(/^(?:import|export)(?! type)[^;]*?from '([^']+)'/gm);
  const names = [...statements].map(([, name = '']) => name);
  found.set(file, names);
  for (const name of names) {
    if (name.startsWith('.')) findLoaded(path.resolve(path.dirname(file), name), found);
  }
  return found;
}

test('the thread of a connection starts without the query builder, which takes longer to load than all else', () => {
  const loaded = findLoaded(path.join(import.meta.dirname, 'connection-worker.ts'));
  assert.ok(loaded.size >= 4, 'its own files are followed');
  assert.deepEqual(
    [...loaded].filter(([, names]) => names.some((name) => !/^(?:node:|\.|#domain\/)/.test(name))),
    [],
  );
});

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { codesIn, readPage, rowsOf, sectionOf } from './markdown.ts';
import { MODULES } from '../oxlint.config.ts';

const ROOT = path.dirname(import.meta.dirname);

/** The table of modules: a module and its allowed imports. */
function readTable(): [module: string, imports: string[]][] {
  const modules = sectionOf(readPage('docs/architecture.md'), 'Modules');
  return rowsOf(modules).flatMap(([module = '', , may = '']) =>
    /^`\w+`$/.test(module) ? [[module.slice(1, -1), codesIn(may)]] : [],
  );
}

describe('the modules of src/', () => {
  test('the modules and their allowed imports are those of docs/architecture.md', () => {
    const linted = Object.entries(MODULES).map(([module, { imports }]) => [module, [...imports]]);
    assert.deepEqual(readTable(), linted);
  });

  test('the modules are the folders of src/, each with an import in package.json', () => {
    const folders = fs
      .readdirSync(path.join(ROOT, 'src'), { withFileTypes: true })
      .flatMap((each) => (each.isDirectory() ? each.name : []));
    // The demo imports app and lies above the modules; no module may import it.
    assert.deepEqual(folders.toSorted(), [...Object.keys(MODULES), 'demo'].toSorted());
    const { imports } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      imports: Record<string, string>;
    };
    for (const module of Object.keys(MODULES)) {
      assert.equal(imports[`#${module}/*`], `./src/${module}/*.ts`);
    }
  });
});

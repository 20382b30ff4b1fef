import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { ROOMS } from '../oxlint.config.ts';

const ROOT = path.dirname(import.meta.dirname);

/** Rows of the table "Modules": a module and its allowed imports. */
function readTable(): Map<string, string[]> {
  const text = fs.readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');
  const rows = text.matchAll(/^\| `(\w+)` +\|[^|]+\| ([^|]+?) +\|$/gm);
  return new Map(
    [...rows].map(([, room = '', may = '']) => [
      room,
      [...may.matchAll(/`(\w+)`/g)].map(([, other = '']) => other),
    ]),
  );
}

describe('the rooms of src/', () => {
  test('are those of docs/architecture.md, with the same walls', () => {
    const linted = Object.entries(ROOMS).map(([room, { imports }]) => [room, [...imports]]);
    assert.deepEqual([...readTable()], linted);
  });

  test('are the folders of src/, each with a door in package.json', () => {
    const folders = fs
      .readdirSync(path.join(ROOT, 'src'), { withFileTypes: true })
      .flatMap((each) => (each.isDirectory() ? each.name : []));
    // The demo imports app and lies above the rooms; no room may import it.
    assert.deepEqual(folders.toSorted(), [...Object.keys(ROOMS), 'demo'].toSorted());
    const { imports } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      imports: Record<string, string>;
    };
    for (const room of Object.keys(ROOMS)) {
      assert.equal(imports[`#${room}/*`], `./src/${room}/*.ts`);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { headsOf, readPage, rowsOf } from '#testing/markdown';
import { MATRIX } from './cells.ts';
import type { SceneName } from './scene.ts';

const PAGE = readPage('docs/reliability.md');

/** The file of each part of the matrix. */
const FILES: Record<SceneName, string> = {
  SQLite: 'spec/faults/sqlite.test.ts',
  'SQLite on a small disk': 'spec/faults/sqlite.test.ts',
  Postgres: 'spec/faults/postgres.test.ts',
  'Postgres on a small disk': 'spec/faults/postgres.test.ts',
  'Postgres, two nodes': 'spec/faults/two-nodes.test.ts',
};
const SCENES = Object.keys(FILES) as SceneName[];

/** The titles of the tests in a file, if they are literals or cells. */
function titlesIn(file: string): string[] {
  const cells = SCENES.filter((name) => FILES[name] === file).flatMap((name) => MATRIX[name]);
  const written = readPage(file).matchAll(/'([^'\n]+)'|`(?:\$\{\w+\}: )?([^`$\n]+)`/g);
  return [...cells.map(({ title }) => title), ...[...written].map(([, a, b]) => a ?? b ?? '')];
}

/** Asserts that every test that a page names exists. Returns their number. */
function assertNamed(page: string): number {
  const named = [...page.matchAll(/`(spec\/[^`]+\.test\.ts)`: "([^"]+)"/g)];
  for (const [, file = '', broken = ''] of named) {
    // A line of a page may end within a title.
    const title = broken.replaceAll(/\s+/g, ' ');
    assert.ok(titlesIn(file).includes(title), `${file} has no test "${title}"`);
  }
  return named.length;
}

function whenTested(name: SceneName, title: string): string {
  const cell = MATRIX[name].find((each) => each.title === title);
  if (cell === undefined) return '';
  return cell.isQuick ? 'always' : 'full';
}

describe('docs/reliability.md', () => {
  test("the page's table lists the tested faults", () => {
    const titles = [...new Set(SCENES.flatMap((name) => MATRIX[name].map(({ title }) => title)))];
    const rows = titles.map((title) =>
      [title].concat(SCENES.map((name) => whenTested(name, title))),
    );
    const head = ['fault', ...SCENES];
    assert.ok(headsOf(PAGE).some((cells) => isDeepStrictEqual(cells, head)));
    const found = rowsOf(PAGE).filter((cells) => cells.length === head.length);
    assert.deepEqual(found, rows);
  });

  test('the page names the test file of each column', () => {
    for (const [name, file] of Object.entries(FILES)) {
      assert.ok(readPage(file).includes(`declareCells('${name}')`), `${name} in ${file}`);
      assert.ok(PAGE.includes(`\`${file}\``), file);
    }
  });

  test("each promise in the page's tables has a test", () => {
    const claims = rowsOf(PAGE).filter((cells) => cells.length === 2);
    assert.ok(claims.length > 5);
    for (const [claim = '', tests = ''] of claims) {
      assert.match(tests, /`spec\/[^`]+`: "|\(#tested-faults\)/, claim);
    }
  });

  test('the page and the guides, which link it, name existing tests only', () => {
    assert.ok(assertNamed(PAGE) > 10);
    const read = (name: string) => readPage(`docs/guides/${name}.md`);
    const guides = ['postgres', 'troubleshooting'].map(read).join('\n');
    assert.ok(assertNamed(guides) >= 3);
    assert.match(guides, /\]\(\.\.\/reliability\.md\)/);
  });
});

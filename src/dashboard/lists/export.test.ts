import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '#testing/any-text';
import { answerExport, writeCsvLine } from './export.ts';

/** Reads a line of CSV, as plainly as RFC 4180 describes it. */
function readCells(line: string): string[] {
  const cells: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n$)/gy;
  for (const [, quoted, plain = ''] of line.matchAll(pattern)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
  }
  return cells;
}

describe('a line of CSV', () => {
  test('a line of CSV reads back as written, except for the added apostrophes', () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
        const read = readCells(writeCsvLine(cells));
        const plain = (texts: string[]) => texts.map((text) => text.replaceAll("'", ''));
        assert.deepEqual(plain(read), plain(cells));
        assert.deepEqual(
          read.filter((text, at) => text !== cells[at] && !hasFormula(cells[at] ?? '')),
          [],
        );
      }),
    );
  });

  test('a line of CSV contains no spreadsheet formula with any separator', () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
        const line = writeCsvLine(cells);
        for (const text of [
          ...readCells(line),
          ...splitAnyhow(line, ';'),
          ...splitAnyhow(line, '\t'),
        ])
          assert.doesNotMatch(text, /^"*[=+\-@]/);
      }),
    );
    assert.equal(
      writeCsvLine(['=1+1', 'x;=1+1', 'x\t@a', 'x\n+1', '-2', 3, null, true]),
      `'=1+1,x;'=1+1,x\t'@a,"x\n'+1",'-2,3,,true\r\n`,
    );
  });
});

test('an export of an endless list is cut, with a note in its last line', async () => {
  let pages = 0;
  const answer = answerExport({
    format: 'jsonl',
    name: 'endless',
    columns: ['n'],
    // A search that finds little still takes its time.
    readPage: async () => ({ rows: ++pages % 2 ? [] : [{ n: pages }], next: 'on' }),
    write: ({ n }) => [n],
  });
  const lines = (await answer.text()).trimEnd().split('\n');
  assert.ok(pages < 10_000, `${pages} pages`);
  assert.deepEqual(lines[0], '{"n":2}');
  assert.match(lines.at(-1) ?? '', /^\{"note":"There is more\. /);
});

const cell = fc.oneof(
  anyText(),
  fc.string({ unit: fc.constantFrom(...Array.from('=+-@;,\t\r\n"a')) }),
);

function hasFormula(text: string): boolean {
  return /(?:^|[;\t\r\n])"*[=+\-@\t\r]/.test(text);
}

/** Cells as a spreadsheet may see them that knows this separator alone and no quotes. */
function splitAnyhow(line: string, separator: string): string[] {
  return line.split(/[\r\n]/).flatMap((each) => each.split(separator));
}

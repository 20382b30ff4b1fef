import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '#testing/any-text';
import { writeCsvLine } from './csv.ts';

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
  test('reads back as what was written', () => {
    fc.assert(
      fc.property(fc.array(anyText(), { minLength: 1 }), (cells) => {
        const isFormula = (cell: string) => /^[=+\-@\t\r]/.test(cell);
        const expected = cells.map((cell) => (isFormula(cell) ? `'${cell}` : cell));
        assert.deepEqual(readCells(writeCsvLine(cells)), expected);
      }),
    );
  });

  test('holds no formula, and nothing for null', () => {
    assert.equal(writeCsvLine(['=1+1', '-2', 3, null, true]), "'=1+1,'-2,3,,true\r\n");
  });
});

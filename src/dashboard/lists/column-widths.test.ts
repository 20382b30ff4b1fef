import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { measureColumns } from './column-widths.ts';
import type { Column } from './DataTable.tsx';

const column = (head: string, more: Partial<Column<unknown>> = {}): Column<unknown> => ({
  head,
  cell: () => null,
  ...more,
});

describe('the columns of a table', () => {
  const columns = [
    column('name'),
    column('status', { width: '100px' }),
    column('rate', { width: '100px', givesWay: 1 }),
    column('next', { width: '200px', givesWay: 2 }),
  ];

  test('columns disappear one after another, the least important first, never the name', () => {
    const measured = measureColumns(columns, false).map(({ head, from }) => [head, from]);
    assert.deepEqual(measured, [
      ['name', undefined],
      ['status', undefined],
      ['rate', 795],
      ['next', undefined],
    ]);
  });
  test('columns disappear at widths that the style sheet knows', () => {
    const css = readFileSync(new URL('DataTable.module.css', import.meta.url), 'utf8');
    for (const width of [340, 500, 900, 2000]) {
      const wide = column('wide', { width: `${width}px`, givesWay: 1 });
      const [, { from } = {}] = measureColumns([column('name'), wide], false);
      assert.ok(css.includes(`[data-from='${from}']`), String(from));
    }
  });
});

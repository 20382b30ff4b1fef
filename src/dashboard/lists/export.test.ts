import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerExport } from './export.ts';

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

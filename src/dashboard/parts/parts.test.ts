import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readHeaderLines, writeHeaderLines } from './headerLines.ts';
import { layOutJson } from './jsonLayout.ts';
import { buildScale, formatCount, spaceLabels } from './plotScale.ts';
import { clickRow, keepExisting, nothingSelected, selectPage } from './selection.ts';
import { holdBackNewRows } from './waitingRows.ts';

const order = ['a', 'b', 'c', 'd', 'e'];
const idsOf = ({ ids }: { ids: ReadonlySet<string> }) => [...ids].sort().join('');

describe('choosing rows', () => {
  test('a shift-click gives all rows from the last clicked one its own new state', () => {
    const first = clickRow(nothingSelected, 'b', { order, withShift: false, checked: true });
    const range = clickRow(first, 'd', { order, withShift: true, checked: true });
    assert.equal(idsOf(range), 'bcd');
    const upwards = clickRow(range, 'c', { order, withShift: true, checked: false });
    assert.equal(idsOf(upwards), 'b');
  });
  test('a shift-click without a row clicked before chooses that row alone', () => {
    assert.equal(
      idsOf(clickRow(nothingSelected, 'd', { order, withShift: true, checked: true })),
      'd',
    );
  });
  test('any click on a row ends "everything that matches"', () => {
    const everything = { ...selectPage(order, true), everything: true };
    assert.equal(
      clickRow(everything, 'a', { order, withShift: false, checked: false }).everything,
      false,
    );
  });
  test('rows that have gone are no longer chosen', () => {
    const kept = keepExisting(selectPage(order, true), ['b', 'x']);
    assert.equal(idsOf(kept), 'b');
    assert.equal(
      keepExisting({ ...selectPage(order, true), everything: true }, []).everything,
      false,
    );
  });
});

describe('rows that come in while a list is open', () => {
  const hold = (fresh: string, known: string) => {
    const { shown, waiting } = holdBackNewRows(Array.from(fresh), new Set(known), (row) => row);
    return `${shown.join('')} ${waiting}`;
  };
  test('new ones on top wait, the rest stays in place', () =>
    assert.equal(hold('xyabc', 'abc'), 'abc 2'));
  test('rows that left make room at the end', () => assert.equal(hold('acde', 'abc'), 'acde 0'));
  test('a list that was empty still lets new rows wait for nobody', () =>
    assert.equal(hold('ab', ''), 'ab 0'));
  test('where all known rows have left, everything is new', () =>
    assert.equal(hold('xyz', 'abc'), ' 3'));
});

describe('JSON laid out for reading', () => {
  const textOf = (source: string) =>
    layOutJson(source)
      ?.map(({ text }) => text)
      .join('');
  test('keeps digits, escapes, order and doubled keys', () => {
    const source = '{"b":9007199254740993,"1":1.0,"a":"caf\\u00e9","a":[ ],"e":1e400}';
    assert.equal(
      textOf(source),
      '{\n  "b": 9007199254740993,\n  "1": 1.0,\n  "a": "caf\\u00e9",\n  "a": [],\n  "e": 1e400\n}',
    );
  });
  test('never changes more than the white space between tokens', () => {
    fc.assert(
      fc.property(fc.json(), (source) => {
        assert.equal(
          JSON.stringify(JSON.parse(textOf(source) ?? '')),
          JSON.stringify(JSON.parse(source)),
        );
      }),
    );
  });
  test('what is no JSON is left alone', () => {
    for (const source of ['<h1>', '}', '{"a":', 'abc', '', '{"a" 1'.slice(0, 5) + '\u0001'])
      assert.equal(layOutJson(source), null, source);
  });
  test('deep nesting does not blow it up', () => {
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    assert.ok((textOf(deep) ?? '').length < 5000 * 2 * 50);
  });
});

describe('headers as lines', () => {
  test('a value keeps all but the one space after the colon', () => {
    assert.deepEqual(readHeaderLines('A: b\r\nX-Y:  two: parts \n\nbroken'), [
      { name: 'A', value: 'b' },
      { name: 'X-Y', value: ' two: parts ' },
      { name: 'broken', value: '' },
    ]);
  });
  test('what is written reads back the same', () => {
    const pairs = fc.array(
      fc.record(
        {
          name: fc.stringMatching(/^[A-Za-z-]{1,12}$/),
          value: fc.stringMatching(/^[ -~]{0,20}$/),
        },
        { noNullPrototype: true },
      ),
    );
    fc.assert(
      fc.property(pairs, (given) =>
        assert.deepEqual(readHeaderLines(writeHeaderLines(given)), given),
      ),
    );
  });
});

describe('axes', () => {
  test('begin at zero, reach the highest value and have few ticks, all of them whole', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (highest) => {
        const { max, ticks } = buildScale(highest);
        assert.equal(ticks[0], 0);
        assert.ok(max >= highest * (1 - 1e-9));
        assert.ok(ticks.length >= 2 && ticks.length <= 6, String(ticks));
        assert.ok(ticks.every(Number.isInteger), String(ticks));
      }),
    );
  });
  test('a plot of nothing has an axis too', () =>
    assert.deepEqual(buildScale(0), { max: 1, ticks: [0, 1] }));
  test('numbers are short', () => {
    assert.deepEqual([0, 1200, 12_300, 1_500_000].map(formatCount), [
      '0',
      '1,200',
      '12.3k',
      '1.5M',
    ]);
  });
});

test('at most seven labels stand under a plot, and one under each column of a few', () => {
  assert.equal(spaceLabels(1), 1);
  assert.equal(spaceLabels(7), 1);
  assert.equal(spaceLabels(24), 4);
  assert.equal(spaceLabels(28), 4);
  for (let count = 1; count <= 100; count++) assert.ok(count / spaceLabels(count) <= 7);
});

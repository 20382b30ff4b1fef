import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readPage, rowsOf } from '#testing/markdown';

/** docs/asvs.md: every test that it names exists. */

const ROOT = path.join(import.meta.dirname, '../..');
const PAGE = readPage('docs/asvs.md');
const [CLAIMS = '', LIST = ''] = PAGE.split('\n## Tests\n');

const tests = rowsOf(LIST).map(([name = '', link = '', title = '']) => {
  return {
    name,
    file: /^\[([^\]]+)\]/.exec(link)?.[1] ?? '',
    title: title.replace(/^`(.*)`$/, '$1'),
  };
});
const requirements = rowsOf(CLAIMS.split('\n## OWASP ASVS')[1] ?? '').map(
  ([numbers = '', status = '', why = '']) => ({ numbers: numbers.split(', '), status, why }),
);

/** The requirements of levels 1 and 2 of ASVS 5.0.0. */
const LEVELS_1_AND_2 = `
  1.1.1-2 1.2.1-9 1.3.1-11 1.4.1-3 1.5.1-2 2.1.1-3 2.2.1-3 2.3.1-4 2.4.1 3.2.1-2 3.3.1-4 3.4.1-6
  3.5.1-5 3.7.1-2 4.1.1-3 4.2.1 4.3.1-2 4.4.1-4 5.1.1 5.2.1-3 5.3.1-2 5.4.1-3 6.1.1-3 6.2.1-12
  6.3.1-4 6.4.1-4 6.5.1-5 6.6.1-3 6.8.1-4 7.1.1-3 7.2.1-4 7.3.1-2 7.4.1-5 7.5.1-2 7.6.1-2 8.1.1-2
  8.2.1-3 8.3.1 8.4.1 9.1.1-3 9.2.1-4 10.1.1-2 10.2.1-2 10.3.1-4 10.4.1-11 10.5.1-5 10.6.1-2
  10.7.1-3 11.1.1-2 11.2.1-3 11.3.1-3 11.4.1-4 11.5.1 11.6.1 12.1.1-3 12.2.1-2 12.3.1-4 13.1.1
  13.2.1-5 13.3.1-2 13.4.1-5 14.1.1-2 14.2.1-4 14.3.1-3 15.1.1-3 15.2.1-3 15.3.1-7 16.1.1 16.2.1-5
  16.3.1-4 16.4.1-3 16.5.1-3 17.1.1 17.2.1-4 17.3.1-2`
  .trim()
  .split(/\s+/)
  .flatMap((range) => {
    const [, section = '', first = '', last = first] = /^(.*\.)(\d+)(?:-(\d+))?$/.exec(range) ?? [];
    const count = Number(last) - Number(first) + 1;
    return Array.from({ length: count }, (_, n) => `${section}${Number(first) + n}`);
  });

describe('docs/asvs.md', () => {
  test('the page names existing tests only', () => {
    assert.ok(tests.length > 50);
    const missing = tests.filter(({ file, title }) => {
      const code = fs.readFileSync(path.join(ROOT, file), 'utf8');
      // A title may be on the next line, and `once` declares a test too.
      const found = code.matchAll(/\b(?:test|once)\(\s*['"`](.*)/g);
      return !found.some(([, rest = '']) => rest.startsWith(title));
    });
    assert.deepEqual(missing, []);
  });

  test("the page's list of tests is complete", () => {
    const named = new Set(
      Array.from(CLAIMS.matchAll(/\[([a-z0-9-]+)\]\(#tests\)/g), ([, name]) => name),
    );
    assert.deepEqual(named, new Set(tests.map(({ name }) => name)));
  });

  test('the page has every ASVS requirement up to level 2 once', () => {
    const numbers = requirements.flatMap((each) => each.numbers);
    assert.deepEqual(numbers.toSorted(), LEVELS_1_AND_2.toSorted());
  });

  test('each requirement has its tests or a reason', () => {
    for (const { numbers, status, why } of requirements) {
      assert.ok(['met', 'not met', 'n/a'].includes(status), `${numbers.join()}: ${status}`);
      if (status === 'met') assert.match(why, /\]\((#|[a-z/-]+\.md)/, numbers.join());
      else assert.ok(why.length > 5, numbers.join());
    }
  });

  test("the page's totals are right", () => {
    const count = (status: string) =>
      requirements
        .filter((each) => each.status === status)
        .reduce((sum, { numbers }) => sum + numbers.length, 0);
    const said = `${count('met')} are met, ${count('not met')} are not, and ${count('n/a')} do not apply`;
    assert.ok(PAGE.includes(said), said);
  });
});

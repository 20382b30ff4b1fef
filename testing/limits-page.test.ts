/** docs/limits.md has the limits of the code and the defaults of the settings. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STOP_AFTER } from '#domain/alerts/alert-streak';
import { LIMITS } from '#domain/base/limits';
import { MOST_RUNS } from '#domain/cron/cron-end';
import { MAX_ASSERTIONS } from '#domain/judging/assertion';
import { SETTINGS } from '#config/settings';
import { codesIn, readPage, rowsOf } from './markdown.ts';

/** What is limited, to what, and by which setting. */
const rows = rowsOf(readPage('docs/limits.md')).map(([limit = '', value = '', change = '']) => {
  return { limit, value: value.replaceAll(',', ''), change };
});

function assertNumbers(limit: string, ...numbers: readonly number[]): void {
  const row = rows.find((each) => each.limit.includes(limit));
  assert.ok(row, `no row for ${limit}`);
  const named = row.value.match(/\d+/g)?.map(Number) ?? [];
  for (const number of numbers) assert.ok(named.includes(number), `${limit}: ${number}`);
}

describe('docs/limits.md', () => {
  test('the limits page has the limits of the fields', () => {
    assert.equal(LIMITS.nameCharacters, LIMITS.queueCharacters);
    assertNumbers('delay', LIMITS.delaySeconds.least, LIMITS.delaySeconds.most);
    assertNumbers('`name`', LIMITS.nameCharacters);
    assertNumbers('`url`', LIMITS.urlCharacters);
    assertNumbers('headers', LIMITS.headerEntries, LIMITS.headerBytes / 1024);
    const { least, most, initial } = LIMITS.timeoutSeconds;
    assertNumbers('timeout', least, most, initial);
    assertNumbers('history', LIMITS.deadLetterDays.initial);
    assertNumbers('service accounts', LIMITS.serviceAccounts);
    assertNumbers('success assertions', MAX_ASSERTIONS);
    assertNumbers('concurrency limit', LIMITS.concurrency.least, LIMITS.concurrency.most);
    assertNumbers('runs after which a cron ends', MOST_RUNS.least, MOST_RUNS.most);
    assertNumbers('failed runs that pause', STOP_AFTER.least, STOP_AFTER.most);
    assert.ok(rows.some(({ value }) => value.includes(`${LIMITS.payloadLevels} levels`)));
  });

  test('the limits page has the defaults of the settings that it names', () => {
    const named = rows.flatMap(({ limit, change }) =>
      codesIn(change)
        .filter((name) => /^[A-Z_]+$/.test(name))
        .map((name) => ({ limit, name })),
    );
    assert.ok(named.length > 5);
    for (const { limit, name } of named) {
      assert.ok(name in SETTINGS, name);
      const [initial] = /^\d+$/.exec(SETTINGS[name as keyof typeof SETTINGS].shownDefault) ?? [];
      if (initial === undefined) continue;
      const units = name.endsWith('_MB') ? Number(initial) / 1024 : Number(initial);
      assertNumbers(limit, units);
    }
  });
});

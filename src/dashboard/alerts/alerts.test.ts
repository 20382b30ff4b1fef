import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CHANNEL_KINDS } from '#domain/alerts/notification-channel';
import { WEEK_MS } from '#domain/team/maintenance';
import { offerSources, readAlertSearch } from './alert-filter.ts';
import { describeCovers, describeLocally, describeWindow, findOccurrence } from './window-words.ts';

const HOUR = 3_600_000;
const SATURDAY = Date.parse('2026-11-21T22:00:00Z');

describe('a maintenance window in words', () => {
  const rows: [startsAt: number, hours: number, isWeekly: boolean, words: string][] = [
    [SATURDAY, 1, false, 'Sat, 21 Nov 2026, 22:00–23:00 UTC'],
    [SATURDAY, 4, false, 'Sat, 21 Nov 2026, 22:00 – Sun, 22 Nov, 02:00 UTC'],
    [
      Date.parse('2026-12-31T22:00:00Z'),
      4,
      false,
      'Thu, 31 Dec 2026, 22:00 – Fri, 1 Jan 2027, 02:00 UTC',
    ],
    [SATURDAY, 1, true, 'Every Saturday, 22:00–23:00 UTC'],
    [SATURDAY, 4, true, 'Every Saturday, 22:00 – Sunday, 02:00 UTC'],
    [SATURDAY, 167, true, 'Every Saturday, 22:00 – Saturday, 21:00 UTC'],
    [SATURDAY, 168, true, 'Always, from Sat, 21 Nov 2026, 22:00 UTC'],
  ];
  for (const [startsAt, hours, isWeekly, words] of rows) {
    test(words, () => {
      assert.equal(describeWindow({ startsAt, endsAt: startsAt + hours * HOUR, isWeekly }), words);
    });
  }

  const weekly = { startsAt: SATURDAY, endsAt: SATURDAY + HOUR, isWeekly: true };
  test("a window's text describes the current or the next occurrence", () => {
    const from = (now: number) => findOccurrence(weekly, now).from;
    assert.equal(from(SATURDAY - WEEK_MS), SATURDAY);
    assert.equal(from(SATURDAY + HOUR - 1), SATURDAY);
    assert.equal(from(SATURDAY + HOUR), SATURDAY + WEEK_MS);
    assert.equal(from(SATURDAY + 5 * WEEK_MS + 1), SATURDAY + 5 * WEEK_MS);
    const once = { ...weekly, isWeekly: false };
    assert.equal(findOccurrence(once, SATURDAY + 9 * WEEK_MS).from, SATURDAY);
  });
  test("a window's text follows the viewer's daylight saving time", () => {
    const july = Date.parse('2027-07-01T00:00:00Z');
    const words = 'Next: Sat, 21 Nov 2026, 23:00 – Sun, 22 Nov, 00:00 (Europe/Berlin)';
    assert.equal(describeLocally(weekly, SATURDAY - 1, 'Europe/Berlin'), words);
    assert.match(describeLocally(weekly, SATURDAY, 'Europe/Berlin') ?? '', /^Now: /);
    assert.match(describeLocally(weekly, july, 'Europe/Berlin') ?? '', /4 Jul 2027, 00:00–01:00/);
    assert.equal(describeLocally(weekly, SATURDAY, 'UTC'), null);
    assert.equal(describeLocally(weekly, SATURDAY, null), null);
  });
  test("a window's text names up to three muted sources", () => {
    const sources = ['a', 'b', 'c', 'd'].map((name) => ({ kind: 'cron' as const, id: name, name }));
    const covers = (count: number) => ({ covers: sources.slice(0, count) });
    assert.equal(describeCovers({ covers: 'team' }, sources), 'Whole team');
    assert.equal(describeCovers(covers(3), sources), 'a, b, c');
    assert.equal(describeCovers(covers(4), sources), 'a, b and 2 more');
    assert.equal(describeCovers(covers(1), []), 'Nothing (all deleted)');
    assert.equal(
      describeCovers({ covers: [{ kind: 'queue', id: 'a' }] }, sources),
      'Nothing (all deleted)',
    );
  });
});

describe('the address of the Alerts tab', () => {
  const readAll = (search: string) => readAlertSearch(new URLSearchParams(search));
  const read = (search: string) => readAll(search).search;
  const id = '019ab13e-7c1f-7a52-b5d4-88f0c2ee9001';
  test('the address of the Alerts tab describes its filters', () => {
    assert.deepEqual(read('level=failure&delivery=muted&unread=1&source=queue'), {
      level: 'failure',
      delivery: 'muted',
      unreadOnly: true,
      sourceKind: 'queue',
    });
    assert.deepEqual(read(`source=cron:${id}`), { source: { kind: 'cron', id } });
    assert.deepEqual(read(`after=${id}`), { before: id });
    assert.deepEqual(read(`before=${id}`), { after: id });
  });
  test('an invalid filter of alerts is reported and not searched for', () => {
    const { search, faults } = readAll('level=loud&delivery=&unread=yes&source=team:1&after=');
    assert.equal(search, null);
    assert.deepEqual(Object.keys(faults), ['source', 'level', 'unread']);
    fc.assert(fc.property(fc.string(), (text) => void read(text)));
  });
});

test('a filter offers 200 crons and 200 queues, and the chosen one', () => {
  const sources = ['cron', 'queue'].flatMap((kind) =>
    Array.from({ length: 250 }, (_, at) => ({ kind: kind as 'cron', id: `${at}`, name: `${at}` })),
  );
  const offered = offerSources(sources, 'queue:249').map(({ kind, id }) => `${kind}:${id}`);
  assert.equal(offered.length, 401);
  assert.ok(offered.includes('cron:199') && !offered.includes('cron:200'));
  assert.equal(offered.at(-1), 'queue:249');
});

test('the style sheet shows the fields of the chosen kind of channel', () => {
  const sheet = readFileSync(new URL('./Alerts.module.css', import.meta.url), 'utf8');
  for (const kind of Object.keys(CHANNEL_KINDS)) {
    const rule = `.channel:has(option[value='${kind}']:checked) .address:not([data-kind='${kind}'])`;
    assert.ok(sheet.includes(rule), kind);
  }
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyUrl } from '#testing/any-text';
import type { JobSearch } from '../services.ts';
import { jobTabs, readJobSearch, writeJobSearch } from './job-search.ts';

const readAll = (query: string) => readJobSearch(new URLSearchParams(query));
const read = (query: string) => readAll(query).search;
const faultsOf = (query: string) => Object.keys(readAll(query).faults ?? {});
const ID = '019ab13e-7c1f-7a52-b5d4-88f0c2ee9117';

describe('the search of the jobs list', () => {
  test('the search box recognizes ids, URLs and texts by their form', () => {
    const found = (q: string) => read(`tab=all&q=${encodeURIComponent(q)}`);
    assert.deepEqual(found(ID.toUpperCase()), { tab: 'all', id: ID });
    assert.deepEqual(found('https://a.example/x'), {
      tab: 'all',
      urlPrefix: 'https://a.example/x',
    });
    assert.deepEqual(found('503'), { tab: 'all', statusCode: '503' });
    assert.deepEqual(found('5XX, 404'), { tab: 'all', statusCode: '5xx,404' });
    assert.deepEqual(found('Timeout'), { tab: 'all', reason: 'timeout' });
    assert.deepEqual(found('http_server_error'), { tab: 'all', reason: 'http_server_error' });
    assert.deepEqual(found(' order 42 '), { tab: 'all', words: 'order 42' });
  });
  test('the search combines all filters', () => {
    const query = 'tab=failed&q=order&code=none&queue=q1&resent=any&from=2026-11-21T09:05';
    assert.deepEqual(read(query), {
      tab: 'failed',
      words: 'order',
      statusCode: 'none',
      queueId: 'q1',
      resent: 'any',
      from: Date.parse('2026-11-21T09:05:00Z'),
    });
  });
  test('an invalid search filter is reported and not searched for', () => {
    for (const [query, ...faulty] of [
      ['tab=none', 'tab'],
      ['code=99', 'code'],
      ['code=5xx,', 'code'],
      ['reason=why', 'reason'],
      ['from=soon&to=2026-02-30T10:00', 'from', 'to'],
      ['resent=yes', 'resent'],
      ['code=500&code=502', 'code'],
      [`q=${'x'.repeat(2049)}`, 'q'],
      // Both ask for the code, so one of them would be lost.
      ['q=503&code=404', 'q'],
    ] as const) {
      assert.deepEqual(faultsOf(query), faulty, query);
      assert.equal(read(query), null, query);
    }
  });
  test('the search reads back from its address', () => {
    const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
    const seconds = fc.integer({ min: 0, max: 4e9 }).map((second) => second * 1000);
    const searches = fc.record({
      tab: fc.constantFrom(...jobTabs.map(({ tab }) => tab)),
      queueId: maybe(fc.uuid()),
      payloadText: maybe(fc.string({ minLength: 1 })),
      responseText: maybe(fc.string({ minLength: 1 })),
      target: maybe(anyUrl()),
      statusCode: maybe(fc.constantFrom('200', '5xx', '500,502', 'none')),
      reason: maybe(fc.constantFrom('timeout' as const, 'unknown' as const)),
      from: maybe(seconds),
      to: maybe(seconds),
      resent: maybe(fc.constantFrom('any' as const, 'only' as const)),
    });
    fc.assert(
      fc.property(searches, (given) => {
        const search = Object.fromEntries(
          Object.entries(given).filter(([, value]) => value !== undefined),
        ) as unknown as JobSearch;
        const { searchParams } = new URL(writeJobSearch(search), 'http://x');
        assert.deepEqual(readJobSearch(searchParams).search, search);
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRunSearch, type RunSearch } from './run-search.ts';

const ID = '01a20604-5174-7386-b0bf-bba3f74169b5';

test('each filter of runs becomes a condition of the search', () => {
  const cases: [string, RunSearch][] = [
    ['', {}],
    ['of=crons', { kind: 'execution' }],
    [`of=queue:${ID.toUpperCase()}`, { queueId: ID }],
    ['status=failure&tag=Night', { outcome: 'failure', tag: 'night' }],
    ['reason=timeout', { reason: 'timeout' }],
    ['reason=refused', { reason: 'connection_error', fault: 'refused' }],
    ['host=https://API.example:8080/x', { host: 'api.example:8080' }],
    ['q=5xx&text=503', { statusCode: '5xx', text: '503' }],
    [`q=${ID}`, { id: ID }],
    ['q=some words', { words: 'some words' }],
    ['q=127.0.0.1:4199/x', { words: '127.0.0.1:4199/x' }],
    ['from=2026-11-21&to=2026-11-22T00:00', { from: 1_795_219_200_000, to: 1_795_305_600_000 }],
  ];
  for (const [address, search] of cases) {
    const read = readRunSearch(new URLSearchParams(address));
    assert.deepEqual(read, { search, faults: null }, address);
  }
});

test('an invalid or duplicate filter is reported by its field', () => {
  for (const [address, field] of [
    ['of=everything', 'of'],
    ['of=queue:mail', 'of'],
    ['status=broken', 'status'],
    ['reason=why', 'reason'],
    ['host=a b', 'host'],
    ['tag=a b', 'tag'],
    ['q=503&code=404', 'q'],
    ['from=2026-11-22&to=2026-11-22', 'to'],
  ] as const) {
    const { search, faults } = readRunSearch(new URLSearchParams(address));
    assert.equal(search, null, address);
    assert.deepEqual(Object.keys(faults ?? {}), [field], address);
  }
});

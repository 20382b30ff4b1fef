import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relyingPartyOf } from './relying-party.ts';

for (const [baseUrl, id] of [
  ['https://belfry.example', 'belfry.example'],
  ['https://belfry.example:8443', 'belfry.example'],
  ['http://localhost:3000', 'localhost'],
  ['http://belfry.example', null],
  ['https://203.0.113.7', null],
  ['http://127.0.0.1:3000', null],
  ['https://[2001:db8::1]', null],
] as const) {
  test(`passkeys at ${baseUrl} are ${id === null ? 'not offered' : `those of ${id}`}`, () => {
    const party = relyingPartyOf(baseUrl);
    assert.equal(party?.id ?? null, id);
    if (party) assert.equal(party.origin, baseUrl);
  });
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TEST_APP_KEY } from '#testing/stores';
import { Sealer } from '../database/seal.ts';
import { openHeaders, sealHeaders } from './headers.ts';

const HEADERS = [['Authorization', 'Bearer s3cret']] as const;

describe('sealed headers', () => {
  test('sealed headers are equal for equal headers of a team only', () => {
    const sealer = new Sealer(TEST_APP_KEY);
    const first = sealHeaders(sealer, 'jobs', 'team-1', HEADERS);
    assert.equal(sealHeaders(sealer, 'jobs', 'team-1', [...HEADERS]), first);
    for (const other of [
      sealHeaders(sealer, 'jobs', 'team-2', HEADERS),
      sealHeaders(sealer, 'crons', 'team-1', HEADERS),
      sealHeaders(sealer, 'jobs', 'team-1', [['Authorization', 'Bearer other']]),
    ]) {
      assert.notEqual(other, first);
    }
  });

  test('sealed headers open only with their own key and in their own table, also a second time', () => {
    const sealer = new Sealer(TEST_APP_KEY);
    const sealed = sealHeaders(sealer, 'jobs', 'team-1', HEADERS);
    for (let n = 0; n < 2; n++) assert.deepEqual(openHeaders(sealer, 'jobs', sealed), HEADERS);
    assert.throws(() => openHeaders(sealer, 'crons', sealed), /does not open/);
    assert.throws(
      () => openHeaders(new Sealer(Buffer.alloc(32, 99)), 'jobs', sealed),
      /does not open/,
    );
    assert.deepEqual(openHeaders(sealer, 'jobs', null), []);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { HeaderList, OutgoingRequest } from './exchange.ts';
import { signBody, signRequest } from './signature.ts';

const SIGNED = 'f08690bbaaecbd1607eb9af71f092a9f7054e2b83f8b9d6a0690744d24fc6059';
const SIGNED_EMPTY = '0dfc313933a8f5bd97813f1ea8487570309cfa2e3403b1405460e9600d0a815a';

function request(headers: HeaderList, body: string | null): OutgoingRequest {
  return {
    method: 'POST',
    url: 'http://t',
    headers,
    body: body === null ? null : Buffer.from(body),
  };
}

describe('signing (§5.6)', () => {
  // Both values were computed with: printf '1790000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_test
  test('the signature covers timestamp, full stop and body', () => {
    assert.equal(signBody('whsec_test', 1_790_000_000, Buffer.from('{"a":1}')), SIGNED);
  });

  test('no body is signed like an empty one', () => {
    assert.equal(signBody('whsec_test', 1_790_000_000, null), SIGNED_EMPTY);
    assert.equal(signBody('whsec_test', 1_790_000_000, new Uint8Array()), SIGNED_EMPTY);
  });

  test('a signed request carries both headers behind its own, the time in whole seconds', () => {
    const signed = signRequest(request([['X-A', '1']], '{"a":1}'), 'whsec_test', 1_790_000_000_999);
    assert.deepEqual(signed.headers, [
      ['X-A', '1'],
      ['X-Service-Signature', SIGNED],
      ['X-Service-Timestamp', '1790000000'],
    ]);
  });

  test('configured headers of the same names are replaced', () => {
    const forged: HeaderList = [
      ['x-service-signature', 'forged'],
      ['X-SERVICE-TIMESTAMP', '1'],
    ];
    const signed = signRequest(request(forged, null), 'whsec_test', 1_790_000_000_000);
    assert.deepEqual(
      signed.headers.map(([name]) => name),
      ['X-Service-Signature', 'X-Service-Timestamp'],
    );
    assert.equal(signed.headers[0]?.[1], SIGNED_EMPTY);
  });

  test('an unsigned request is unchanged', () => {
    const unsigned = request([], '{}');
    signRequest(unsigned, 'whsec_test', 0);
    assert.deepEqual(unsigned.headers, []);
  });
});

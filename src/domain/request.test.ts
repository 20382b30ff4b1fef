import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import encodingCases from '../../spec/cases/json-encoding.json' with { type: 'json' };
import queryCases from '../../spec/cases/query.json' with { type: 'json' };

import { HTTP_METHODS } from './exchange.ts';
import type { HeaderList, HttpMethod, OutgoingRequest } from './exchange.ts';
import { readCronPayload } from './payload.ts';
import type { Payload } from './payload.ts';
import { buildRequest } from './request.ts';

function build(spec: {
  method: string;
  url?: string;
  headers?: HeaderList;
  payload?: Payload;
}): OutgoingRequest {
  const { method, url = 'http://t.test/p', headers = [], payload = null } = spec;
  const request = buildRequest({ method: method as HttpMethod, url, headers, payload });
  assert.ok(request !== 'query-too-long');
  return request;
}

function bodyOf(request: OutgoingRequest): string | null {
  return request.body && Buffer.from(request.body).toString();
}

function json(text: string): Payload {
  return { kind: 'json', text };
}

function readPayload(endpoint: string, raw: string | null): Payload {
  if (endpoint === 'crons') return readCronPayload(raw);
  return raw === null || raw === 'null' ? null : json(raw);
}

describe('the body of a request (§2.6)', () => {
  for (const { endpoint, method, payload_raw: raw, expected } of encodingCases) {
    if (typeof raw !== 'string' || typeof expected !== 'string' || expected === '422') continue;
    test(`${endpoint}: ${method} with ${raw} has the body ${expected}`, () => {
      const request = build({ method, payload: readPayload(endpoint, raw) });
      assert.equal(bodyOf(request) ?? '(no body)', expected);
    });
  }

  for (const method of ['POST', 'PUT', 'PATCH']) {
    test(`${method} without a payload, or with an empty one, sends []`, () => {
      for (const payload of [null, json('[]'), json('{}'), json(' { } ')]) {
        assert.equal(bodyOf(build({ method, payload })), '[]');
      }
    });
  }

  test('DELETE without a payload, or with an empty one, has no body and no Content-Type', () => {
    for (const payload of [null, json('[]'), json('{}')]) {
      const request = build({ method: 'DELETE', payload });
      assert.equal(request.body, null);
      assert.deepEqual(request.headers, [['User-Agent', 'node']]);
    }
  });

  test('DELETE with a payload sends it', () => {
    const request = build({ method: 'DELETE', payload: json('{"a":{}}') });
    assert.equal(bodyOf(request), '{"a":[]}');
    assert.deepEqual(request.headers[0], ['Content-Type', 'application/json']);
  });

  test('GET never has a body; its payload is in the URL', () => {
    const request = build({ method: 'GET', url: 'http://t/p?a=1#top', payload: json('{"b":2}') });
    assert.deepEqual(request, {
      method: 'GET',
      url: 'http://t/p?a=1&b=2',
      headers: [['User-Agent', 'node']],
      body: null,
    });
  });

  test('other methods leave the query alone and drop the fragment', () => {
    for (const method of HTTP_METHODS.filter((name) => name !== 'GET')) {
      const request = build({ method, url: 'http://t/p?a=1#top', payload: json('{"a":2}') });
      assert.equal(request.url, 'http://t/p?a=1');
    }
  });

  test('a GET whose payload is no possible query is not built', () => {
    const payload = json(`{"${'k'.repeat(500_000)}":[${'1,'.repeat(250_000)}1]}`);
    const spec = { method: 'GET', url: 'http://t', headers: [], payload } as const;
    assert.equal(buildRequest(spec), 'query-too-long');
  });
});

describe("a cron's payload string (§2.1)", () => {
  for (const { url, endpoint, payload_raw: raw, expected_query: query } of queryCases) {
    if (endpoint !== 'crons') continue;
    test(`GET ${url} with ${raw} requests ${query}`, () => {
      const request = build({ method: 'GET', url, payload: readCronPayload(raw) });
      assert.equal(request.url.split('?')[1], query);
    });
  }

  test('other text is sent under body, as a query too', () => {
    const payload = readCronPayload('a&b "é"/');
    assert.equal(bodyOf(build({ method: 'POST', payload })), '{"body":"a&b \\"\\u00e9\\"\\/"}');
    assert.equal(
      build({ method: 'GET', payload }).url,
      'http://t.test/p?body=a%26b%20%22%C3%A9%22%2F',
    );
  });

  test('JSON that is no object or array is text', () => {
    for (const text of ['1', '"a"', 'true', '{"a":1', '[1,]']) {
      assert.deepEqual(readCronPayload(text), { kind: 'text', text });
    }
  });

  test('512 levels are JSON, 513 are text', () => {
    const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    assert.equal(readCronPayload(nest(512))?.kind, 'json');
    assert.equal(readCronPayload(nest(513))?.kind, 'text');
    const body = bodyOf(build({ method: 'POST', payload: readCronPayload(nest(513)) }));
    assert.equal(body, `{"body":"${nest(513)}"}`);
  });

  test('none, empty or blank is no payload', () => {
    for (const text of [null, '', ' \n']) assert.equal(readCronPayload(text), null);
  });
});

describe('the headers of a request (§2.6)', () => {
  test('a request with a body has Content-Type and User-Agent', () => {
    assert.deepEqual(build({ method: 'POST' }).headers, [
      ['Content-Type', 'application/json'],
      ['User-Agent', 'node'],
    ]);
  });

  test('configured headers keep order and case and replace the defaults in any case', () => {
    const headers: HeaderList = [
      ['x-b', '1'],
      ['USER-agent', 'me'],
      ['X-A', ''],
      ['content-TYPE', 'text/plain'],
    ];
    assert.deepEqual(build({ method: 'POST', headers }).headers, headers);
  });

  test('a configured Content-Type is sent even without a body', () => {
    const headers: HeaderList = [
      ['Content-Type', 'text/plain'],
      ['User-Agent', 'me'],
    ];
    assert.deepEqual(build({ method: 'GET', headers }).headers, headers);
  });
});

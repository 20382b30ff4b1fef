import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { parseForm } from './form-body.ts';

const URLENCODED = 'application/x-www-form-urlencoded';
const parse = (body: string | Buffer, type: string | null, maxFields = 100) =>
  parseForm(new Uint8Array(Buffer.from(body)), type, maxFields);

function entriesOf(parsed: ReturnType<typeof parse>) {
  assert.equal(parsed.kind, 'form');
  return parsed.kind === 'form' ? [...parsed.form] : [];
}

describe('a URL-encoded form', () => {
  test('a URL-encoded form is read like URLSearchParams', () => {
    const escapes = ['%41', '%e2%82%ac', '%C3', '%zz', '%4', '%ff'];
    const piece = fc.constantFrom('a', 'b', '=', '&', '+', '%', ...escapes);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const body = pieces.join('');
        assert.deepEqual(entriesOf(parse(body, URLENCODED)), [...new URLSearchParams(body)]);
      }),
    );
  });
  test('a URL-encoded form has at most the allowed number of fields', () => {
    assert.equal(entriesOf(parse('a=1&b=2', URLENCODED, 2)).length, 2);
    assert.deepEqual(parse('a=1&b=2&', URLENCODED, 1), { kind: 'too-many' });
    assert.deepEqual(parse('&&&', URLENCODED, 2), { kind: 'too-many' });
  });
});

describe('a form in parts', () => {
  const type = 'multipart/form-data; boundary=x.y';
  test('reads as the platform reads it', async () => {
    const form = new FormData();
    form.append('plain', 'one\r\ntwo');
    form.append('empty', '');
    form.append('a "quoted" näme', '--x.y\r\n--');
    form.append('plain', 'again');
    const request = new Response(form);
    const sent = Buffer.from(await request.arrayBuffer());
    const parsed = parse(sent, request.headers.get('Content-Type'));
    assert.deepEqual(entriesOf(parsed), [...form]);
  });
  test('without any is an empty form', () => {
    assert.deepEqual(entriesOf(parse('--x.y--\r\n', type)), []);
  });
  test('a multipart form has at most the allowed number of fields', () => {
    const part = '--x.y\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n';
    assert.equal(entriesOf(parse(`${part}${part}--x.y--`, type, 2)).length, 2);
    assert.deepEqual(parse(`${part}${part}--x.y--`, type, 1), { kind: 'too-many' });
  });
});

describe('bodies that are not forms', () => {
  test('a body that is not a form differs from an empty form', () => {
    assert.deepEqual(entriesOf(parse('', null)), []);
    assert.deepEqual(parse('a=1', null), { kind: 'not-a-form' });
    assert.deepEqual(parse('{}', 'application/json'), { kind: 'not-a-form' });
    assert.deepEqual(parse('', 'multipart/form-data; boundary=x'), { kind: 'broken' });
  });
});

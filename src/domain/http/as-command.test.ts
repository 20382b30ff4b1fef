import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyUrl } from '#testing/any-text';
import { quoteForShell, writeCurl } from './as-command.ts';
import { parseCurl } from './paste.ts';
import { readTrace, writeTrace } from '../runs/run-trace.ts';

describe('requests as commands', () => {
  test('a shell reads quoted arguments byte for byte', () => {
    const texts = ["it's", '$HOME `id` "x" \\', 'a\nb', '!!', '', 'é☃'];
    for (const text of texts) {
      const said = execFileSync('/bin/sh', ['-c', `printf %s ${quoteForShell(text)}`]);
      assert.equal(said.toString(), text);
    }
  });

  test('a curl command reads back as the same request', () => {
    const request = fc.record({
      method: fc.constantFrom('POST', 'PUT', 'PATCH'),
      url: anyUrl({ withQuery: true }),
      headers: fc.constant([
        ['X-One', 'a \'b\' "c" $d'],
        ['Content-Type', 'text/plain'],
      ] as const),
      body: fc.string(),
    });
    fc.assert(
      fc.property(request, (each) => {
        const read = parseCurl(writeCurl(each));
        assert.ok(read.kind === 'draft');
        assert.equal(read.draft.method, each.method);
        assert.equal(read.draft.url, each.url);
        assert.equal(read.draft.payload, each.body);
        assert.deepEqual(read.draft.headers, each.headers);
      }),
    );
  });
});

describe('the stored trace of a run', () => {
  const timing = { dnsMs: 1, connectMs: 2, tlsMs: null, waitingMs: 3, receivingMs: 4 };
  const trace = { timing, address: '203.0.113.7', responseHeaders: [['A', 'b']] as const };

  test('a stored trace keeps the judged assertions, cut to a bound', () => {
    const assertion = { kind: 'body_contains', text: 'x'.repeat(2000) } as const;
    const verdict = { assertion, ok: false, expected: 'y', got: 'z' };
    const text = writeTrace(
      trace,
      Array.from({ length: 20 }, () => verdict),
    );
    assert.ok(text.length < 20 * 400);
    assert.equal(readTrace(text)?.assertions?.length, 20);
    assert.equal(readTrace(text)?.address, '203.0.113.7');
  });

  test('an invalid stored trace reads as none', () => {
    for (const text of [null, '', '{}', 'null', '[]', '{"timing":1}']) {
      assert.equal(readTrace(text), null);
    }
  });
});

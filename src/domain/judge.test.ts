import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Exchange, Trace } from './exchange.ts';
import { JsonFinder } from './json/find.ts';
import type { PathStep } from './json/path.ts';
import { judgeExchange } from './judge.ts';

const trace: Trace = {
  timing: { dnsMs: null, connectMs: null, tlsMs: null, waitingMs: null, receivingMs: null },
  address: null,
  responseHeaders: [],
};

function answer(status: number, text = '{}', paths: PathStep[][] = []): Exchange {
  const finder = new JsonFinder(paths);
  finder.take(Buffer.from(text));
  const body = {
    stored: Buffer.from(text),
    totalBytes: text.length,
    found: [false],
    json: finder.finish(),
  };
  return { kind: 'answered', status, body, durationMs: 5, trace };
}

describe('judging an answer', () => {
  const rows: [status: number, reason: string | null][] = [
    [300, null],
    [301, null],
    [304, null],
    [399, null],
    [400, 'http_client_error'],
    [404, 'http_client_error'],
    [499, 'http_client_error'],
    [500, 'http_server_error'],
    [503, 'http_server_error'],
    [599, 'http_server_error'],
    [600, null],
    [999, null],
  ];
  for (const [status, reason] of rows) {
    test(`${status} is a failure with the reason ${reason ?? 'unknown'}`, () => {
      assert.deepEqual(judgeExchange(answer(status), [], 'job'), {
        ok: false,
        reason,
        errorMessage: `HTTP ${status} error`,
      });
      assert.deepEqual(judgeExchange(answer(status), [], 'cron'), {
        ok: false,
        reason,
        errorMessage: null,
      });
    });
  }

  for (const status of [200, 201, 204, 299]) {
    test(`${status} is a success`, () => {
      assert.deepEqual(judgeExchange(answer(status), [], 'job'), { ok: true });
      assert.deepEqual(judgeExchange(answer(status), [], 'cron'), { ok: true });
    });
  }

  test('assertions count for a 2xx only', () => {
    const never = [{ kind: 'body_contains', text: 'x' }] as const;
    assert.deepEqual(judgeExchange(answer(404), never, 'cron'), {
      ok: false,
      reason: 'http_client_error',
      errorMessage: null,
    });
    assert.equal(judgeExchange(answer(200), never, 'cron').ok, false);
  });

  test('the first failed assertion is reported with the expected and found value', () => {
    const verdict = judgeExchange(
      answer(200, '{"data":{"ok":false}}', [['data', 'ok']]),
      [
        { kind: 'response_time_under', ms: 100 },
        { kind: 'json_path_equals', path: 'data.ok', expected: 'true' },
        { kind: 'body_contains', text: 'x' },
      ],
      'cron',
    );
    assert.deepEqual(verdict, {
      ok: false,
      reason: 'assertion_failed',
      errorMessage: 'Assertion failed: JSON path data.ok equals: expected true, got false',
    });
  });

  test('every kind of assertion reports the expected and found value', () => {
    const text = (assertion: Parameters<typeof judgeExchange>[1][number]) => {
      const verdict = judgeExchange(answer(200, 'no'), [assertion], 'job');
      return verdict.ok ? null : verdict.errorMessage;
    };
    assert.equal(
      text({ kind: 'body_contains', text: 'yes' }),
      'Assertion failed: Body contains: expected "yes", got a body of 2 bytes without it',
    );
    assert.equal(
      text({ kind: 'response_time_under', ms: 5 }),
      'Assertion failed: Response time under (ms): expected less than 5, got 5',
    );
  });
});

describe('judging an exchange without a whole answer', () => {
  const rows: [Exchange, reason: string, text: string][] = [
    [
      { kind: 'timed-out', afterSeconds: 30, status: 200, durationMs: 30_000, trace },
      'timeout',
      'Request timed out after 30 seconds',
    ],
    [
      { kind: 'broken', fault: 'refused', status: null, durationMs: 1, trace },
      'connection_error',
      'Connection error: connection refused',
    ],
    [{ kind: 'unresolvable', durationMs: 1, trace }, 'cannot_resolve_host', 'Cannot resolve host'],
    [
      { kind: 'blocked', durationMs: 1, trace },
      'blocked_address',
      'The URL resolves to a blocked IP address.',
    ],
  ];
  for (const [exchange, reason, errorMessage] of rows) {
    test(`${exchange.kind} is reported as "${errorMessage}" for jobs and crons`, () => {
      for (const kind of ['job', 'cron'] as const) {
        assert.deepEqual(judgeExchange(exchange, [], kind), { ok: false, reason, errorMessage });
      }
    });
  }
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyUrl } from '#testing/any-text';
import { CONNECTION_FAULTS, type FaultCode, faultMessage } from '../http/connection-faults.ts';
import type { Timing } from '../http/exchange.ts';
import { explainFailure, type FailureFacts } from './explain-failure.ts';
import { UNREADABLE_TEXTS } from './judge.ts';
import { FAILURE_REASONS } from './failure.ts';
import { isSecretHeader, secretHeadersWith } from '../http/secret-headers.ts';

const FAULT_CODES = Object.keys(CONNECTION_FAULTS) as FaultCode[];

const TIMED_PARTS = ['connectMs', 'tlsMs', 'waitingMs', 'receivingMs'] as const;

/** @param last null: the name was not resolved in time */
function timingUntil(last: (typeof TIMED_PARTS)[number] | null): Timing {
  const isReached = (part: (typeof TIMED_PARTS)[number]) =>
    last !== null && TIMED_PARTS.indexOf(part) <= TIMED_PARTS.indexOf(last);
  const parts = TIMED_PARTS.map((part) => [part, isReached(part) ? 1 : null]);
  return { dnsMs: last === null ? null : 1, ...Object.fromEntries(parts) } as Timing;
}

const FACTS: FailureFacts = {
  kind: 'job',
  reason: null,
  responseStatus: null,
  errorMessage: null,
  url: 'https://api.example.com/hook?x=1',
  location: null,
  timeoutSeconds: 30,
  timing: timingUntil('waitingMs'),
};

const broken = (fault: FaultCode) =>
  ({ reason: 'connection_error', errorMessage: faultMessage(fault) }) as const;

const said = (facts: Partial<FailureFacts>) => {
  const { title, text, nextStep } = explainFailure({ ...FACTS, ...facts });
  return `${title} | ${text} | ${nextStep}`;
};

describe('a failure in plain words', () => {
  test('a redirect shows its absolute target URL', () => {
    const redirect = (location: string | null) =>
      explainFailure({ ...FACTS, responseStatus: 301, location });
    assert.equal(redirect('/new?y=2').useUrl, 'https://api.example.com/new?y=2');
    assert.equal(redirect('https://other.example/').useUrl, 'https://other.example/');
    assert.equal(redirect('http://a:b@other.example/').useUrl, 'http://other.example/');
    assert.match(redirect('/new').title, /redirects to https:\/\/api\.example\.com\/new/);
    for (const location of [null, 'javascript:alert(1)', 'http://', 'ftp://x.example/']) {
      assert.equal(redirect(location).useUrl, null, String(location));
    }
  });

  const cases: [string, Partial<FailureFacts>, RegExp][] = [
    [
      'a timeout of a target that was reached',
      { reason: 'timeout' },
      /was reached.*30 seconds.*raise the timeout/,
    ],
    [
      'a timeout while the name is resolved',
      { reason: 'timeout', timing: timingUntil(null) },
      /name .*api\.example\.com.* nothing was sent.*name servers/,
    ],
    [
      'a timeout before a connection',
      { reason: 'timeout', timing: timingUntil('connectMs'), timeoutSeconds: 1 },
      /No connection.*1 second, so nothing was sent.*firewall/,
    ],
    [
      'a timeout of a TLS handshake',
      { reason: 'timeout', timing: timingUntil('tlsMs') },
      /was reached.*no TLS.*nothing was sent.*port/,
    ],
    [
      'a connection that was reset in the TLS handshake',
      { ...broken('reset'), timing: timingUntil('tlsMs') },
      /closed during the TLS handshake, so nothing was sent.*port uses TLS/,
    ],
    [
      'a connection that was reset after the request',
      broken('reset'),
      /connection was reset.*a crash or a limit/,
    ],
    [
      'a request that the service gave up',
      broken('stopping'),
      /service was stopped.*twice does no harm/,
    ],
    [
      'a timeout within a response',
      { reason: 'timeout', timing: timingUntil('receivingMs'), responseStatus: 200 },
      /began to answer \(200\).*raise the timeout/,
    ],
    [
      'a timeout whose response is not stored',
      { reason: 'timeout', timing: null },
      /did not answer completely.*may still have finished/,
    ],
    [
      'a request that can’t be read any more',
      { reason: 'worker_failed', errorMessage: UNREADABLE_TEXTS.headers },
      /headers can't be opened with this APP_KEY.*Nothing was sent.*operator/s,
    ],
    [
      'a failed assertion',
      {
        reason: 'assertion_failed',
        responseStatus: 200,
        errorMessage: 'Assertion failed: Body contains: expected "ok", got a body without it',
      },
      /answered 200, but Body contains: expected "ok"/,
    ],
    [
      'an unknown connection error',
      { reason: 'connection_error', errorMessage: 'Connection error: something new' },
      /api\.example\.com: something new/,
    ],
    ['999', { responseStatus: 999 }, /no status that HTTP defines/],
    ['304', { responseStatus: 304 }, /answered 304 Not Modified.*If-None-Match/],
  ];
  test('a failure is explained by how far the request came, with the next step', () => {
    for (const [name, facts, pattern] of cases) assert.match(said(facts), pattern, name);
  });

  test('only a job is advised to be retried, and a cron to be run now', () => {
    for (const reason of [...FAILURE_REASONS, null]) {
      for (const responseStatus of [null, 302, 404, 429, 500, 503, 999]) {
        const facts = { reason, responseStatus };
        for (const kind of ['execution', 'test'] as const)
          assert.doesNotMatch(said({ ...facts, kind }), /\bretry\b/i, `${kind} ${reason}`);
        assert.doesNotMatch(said({ ...facts, kind: 'execution' }), /queue/i);
      }
    }
    for (const fault of FAULT_CODES) {
      const facts = { kind: 'execution', ...broken(fault) } as const;
      assert.doesNotMatch(said(facts), /\bretry\b/i, fault);
    }
    const died = { reason: 'worker_failed', kind: 'execution' } as const;
    assert.match(said(died), /Choose Run now if doing it twice does no harm\./);
  });

  test('a broken connection is explained by the fault in its text', () => {
    for (const fault of FAULT_CODES) {
      const step = CONNECTION_FAULTS[fault].means?.[2] ?? 'another machine';
      assert.match(said(broken(fault)), new RegExp(step));
    }
    const texts = FAULT_CODES.map(faultMessage);
    assert.equal(new Set(texts).size, texts.length, 'no text has two codes');
  });

  test('every stored failure gets a bounded explanation, and only a redirect a URL', () => {
    const facts = fc.record({
      kind: fc.constantFrom('job' as const, 'execution' as const, 'test' as const),
      reason: fc.constantFrom(...FAILURE_REASONS, null),
      responseStatus: fc.option(fc.integer({ min: 0, max: 1000 })),
      errorMessage: fc.option(
        fc.oneof(fc.string(), fc.constantFrom(...FAULT_CODES).map(faultMessage)),
      ),
      url: fc.oneof(fc.string(), anyUrl()),
      location: fc.option(fc.oneof(fc.string(), anyUrl())),
      timeoutSeconds: fc.option(fc.nat()),
      timing: fc.option(fc.constantFrom(...TIMED_PARTS, null).map(timingUntil)),
    });
    fc.assert(
      fc.property(facts, (each) => {
        const { title, text, nextStep, useUrl } = explainFailure(each);
        assert.ok(title && text && nextStep);
        assert.ok(title.length < 400);
        if (useUrl !== null) assert.match(useUrl, /^https?:\/\//);
      }),
    );
  });
});

describe('headers that hold secrets', () => {
  test('secret headers are recognized by name in any case (§5.9)', () => {
    const secrets =
      'Authorization cookie X-Api-Key api-key X-Auth-Token X-Amz-Security-Token password X-Hub-Signature X-Session X-Hmac Ocp-Apim-Subscription-Key';
    for (const name of secrets.split(' ')) assert.equal(isSecretHeader(name), true, name);
    for (const name of 'Content-Type Accept X-Request-Id User-Agent Host X-Trace X-Keyboard'.split(
      ' ',
    )) {
      assert.equal(isSecretHeader(name), false, name);
    }
  });

  test('the operator can add names of secret headers', () => {
    const isSecret = secretHeadersWith(['X-Customer']);
    for (const name of ['x-customer', 'X-CUSTOMER', 'Authorization']) {
      assert.equal(isSecret(name), true, name);
    }
    assert.equal(isSecret('X-Customer-Name'), false);
    assert.equal(isSecretHeader('X-Customer'), false);
  });
});

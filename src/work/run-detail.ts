import { writeCurl } from '#domain/http/as-command';
import type { Assertion } from '#domain/judging/assertion';
import { type AssertionVerdict, describeExpected } from '#domain/judging/assertions';
import type { HeaderList, HttpMethod, OutgoingRequest } from '#domain/http/exchange';
import {
  type ExplainedKind,
  explainFailure,
  type Explanation,
} from '#domain/judging/explain-failure';
import type { FailureReason } from '#domain/judging/failure';
import { MASK } from '#domain/runs/masking';
import type { Payload } from '#domain/http/payload';
import { buildRequest, frameHeaders } from '#domain/http/request';
import type { RunTrace } from '#domain/runs/run-trace';
import type { IsSecretHeader } from '#domain/http/secret-headers';
import { addSignature, withoutSignature } from '#domain/http/signature';

export type { Explanation };

export interface ShowOptions {
  showSecrets?: boolean;
  isWhole?: boolean;
}

/** `ok` null: it was not evaluated (the answer was no 2xx). */
export type ShownAssertion = Omit<AssertionVerdict, 'ok'> & { ok: boolean | null };

/**
 * `not-due`: the run has not ended, or ended without a callback. `waiting`: not sent yet.
 * `sent`: taken for sending, once; its result is not kept (§6.1).
 */
export interface ShownCallback {
  url: string | null;
  state: 'none' | 'not-due' | 'waiting' | 'sent';
}

interface RunFacts {
  kind: ExplainedKind;
  method: HttpMethod;
  url: string;
  headers: HeaderList;
  payload: Payload;
  /** Whether this run was (or will be) sent with it. */
  isPayloadKnown: boolean;
  isFailed: boolean;
  responseStatus: number | null;
  reason: FailureReason | null;
  errorMessage: string | null;
  response: { body: Uint8Array; totalBytes: number } | null;
  trace: RunTrace | null;
  timeoutSeconds: number | null;
  /** The present assertions, for a run without a verdict. */
  assertions: readonly Assertion[];
  callback: ShownCallback;
}

export interface Masking {
  isSecretHeader: IsSecretHeader;
  showSecrets: boolean;
}

export interface Showing extends Masking {
  isWhole: boolean;
}

const MOST_SHOWN = 16_384;
/** Characters (§2.5). */
export const BODY_START = 2_000;

export function showRun(facts: RunFacts, showing: Showing) {
  const request = buildRequest(facts);
  const shown = showRequest(facts, request, showing);
  return {
    request: shown,
    /** Null before the run has ended, and where nothing was sent. */
    response: showResponse(facts),
    timing: facts.trace?.timing ?? null,
    address: facts.trace?.address ?? null,
    assertions: showAssertions(facts),
    callback: facts.callback,
    explanation: facts.isFailed ? explainFailure(failureFactsOf(facts, shown.url)) : null,
    curl: writeCurl({
      method: shown.method,
      url: shown.url,
      headers: withMasks(curlHeadersOf(facts, request), showing),
      body: request === 'query-too-long' ? null : textOf(request.body),
    }),
  };
}

/** With null for the values of secrets that were not requested (§5.9). */
export function showHeaders(headers: HeaderList, masking: Masking) {
  return headers.map(([name, value]) => {
    const isSecret = masking.isSecretHeader(name);
    return { name, value: isSecret && !masking.showSecrets ? null : value, isSecret };
  });
}

export function withMasks(headers: HeaderList, masking: Masking): HeaderList {
  return showHeaders(headers, masking).map(({ name, value }) => [name, value ?? MASK] as const);
}

/** Built by the rules for sending (§2.6). */
function showRequest(
  facts: RunFacts,
  request: OutgoingRequest | 'query-too-long',
  showing: Showing,
) {
  const { method, isPayloadKnown } = facts;
  const isSendable = request !== 'query-too-long';
  const text = isSendable ? textOf(request.body) : null;
  const most = showing.isWhole ? Infinity : MOST_SHOWN;
  const signature = isSendable ? (facts.trace?.signature ?? null) : null;
  const sent = isSendable ? frameHeaders(addSignature(request, signature)) : facts.headers;
  return {
    method,
    /** Including the query that the payload of a GET makes. */
    url: isSendable ? request.url.slice(0, most) : facts.url,
    /** In order, with those that frame the message and its signature. */
    headers: showHeaders(sent, showing),
    /** False if the cron's payload was edited after this run; the present payload is shown then. */
    isPayloadKnown,
    /** At most 16,384 characters, unless the whole was requested. Null: no body. */
    bodyText: text === null ? null : text.slice(0, most),
    bodyBytes: isSendable ? (request.body?.length ?? 0) : 0,
    isBodyCut: text !== null && text.length > most,
    /** `<timestamp>.<body>` (§5.6), cut like the body; null if unsigned, not sent, or its body is not kept. */
    signedText:
      signature !== null && isPayloadKnown
        ? `${signature.timestamp}.${text ?? ''}`.slice(0, most)
        : null,
    /** The last characters; null if unsigned or unknown. */
    signedWith: signature?.secretEnd ?? null,
  };
}

/** Without the signature, which would be refused later, and headers that curl adds itself. */
function curlHeadersOf(facts: RunFacts, request: OutgoingRequest | 'query-too-long'): HeaderList {
  if (request === 'query-too-long') return facts.headers;
  return facts.trace?.signature ? withoutSignature(request.headers) : request.headers;
}

function textOf(body: Uint8Array | null): string | null {
  return body === null ? null : Buffer.from(body).toString('utf8');
}

function showResponse({ response, trace, responseStatus }: RunFacts) {
  if (response === null) return null;
  const { text, hasMore } = startOf(response.body, response.body.length);
  return {
    /** Null where no status line came. */
    status: responseStatus,
    headers: trace?.responseHeaders ?? [],
    bodyStart: text,
    hasMore,
    totalBytes: response.totalBytes,
    keptBytes: response.body.length,
  };
}

export function startOf(body: Uint8Array, keptBytes: number): { text: string; hasMore: boolean } {
  const text = decodeBody(body);
  const start = Array.from(text.slice(0, BODY_START * 2))
    .slice(0, BODY_START)
    .join('');
  return { text: start, hasMore: start.length < text.length || body.length < keptBytes };
}

/** Leaves out a character that was cut at the end. */
export function decodeBody(body: Uint8Array): string {
  return new TextDecoder('utf-8').decode(body, { stream: true });
}

function showAssertions({ trace, assertions }: RunFacts): ShownAssertion[] {
  if (trace?.assertions) return trace.assertions.map((each) => ({ ...each }));
  return assertions.map((assertion) => {
    return { assertion, ok: null, expected: describeExpected(assertion), got: '' };
  });
}

export function locationOf(trace: RunTrace | null): string | null {
  const location = trace?.responseHeaders.find(([name]) => name.toLowerCase() === 'location');
  return location?.[1] ?? null;
}

function failureFactsOf(facts: RunFacts, url: string) {
  const { kind, reason, responseStatus, errorMessage, trace, timeoutSeconds } = facts;
  return {
    kind,
    reason,
    responseStatus,
    errorMessage,
    url,
    location: locationOf(trace),
    timeoutSeconds: timeoutOf(errorMessage) ?? timeoutSeconds,
    timing: trace?.timing ?? null,
  };
}

/** From the stored error (§2.7): the queue's may have changed since. */
function timeoutOf(errorMessage: string | null): number | null {
  const seconds = /timed out after (\d+) seconds/.exec(errorMessage ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds);
}

export type RunDetail = ReturnType<typeof showRun> & { apiCall: string };

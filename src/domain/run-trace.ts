import { hash } from 'node:crypto';

import type { Assertion } from './assertion.ts';
import type { AssertionVerdict } from './assertions.ts';
import type { FaultCode } from './connection-faults.ts';
import type { HttpMethod, Trace } from './exchange.ts';
import type { Signature } from './signature.ts';

/** An assertion with its result when the run ended; long texts are cut. */
interface JudgedAssertion {
  assertion: Assertion;
  ok: boolean;
  expected: string;
  got: string;
}

/** The stored details of a run in addition to its response: at most some tens of kilobytes of JSON. */
export interface RunTrace extends Trace {
  /** Why the exchange broke off; absent if it did not, and in traces of older versions. */
  fault?: FaultCode;
  /** Absent without assertions, or if the response was not a 2xx. */
  assertions?: readonly JudgedAssertion[];
  /** How the request was signed; absent without a signature, or if the request was refused before it was sent. */
  signature?: Signature;
  /** The sent request of an execution. It is kept because its cron may have been edited since. */
  sent?: {
    method: HttpMethod;
    url: string;
    /** See `hashPayload`; absent in traces of older versions. */
    payloadHash?: string;
  };
}

/** The parts of the request that its job does not hold. */
interface SentRequest {
  signature?: Signature | null;
  sent?: RunTrace['sent'];
}

const MOST_CHARACTERS = 200;
const MOST_URL_CHARACTERS = 4_096;

/** A hash to compare a cron's payload with the one that a run has sent. */
export function hashPayload(payload: string | null): string {
  return payload === null ? '' : hash('sha256', payload, 'base64url');
}

/** The trace as stored JSON text. */
export function writeTrace(
  { trace, fault }: { trace: Trace; fault?: FaultCode },
  verdicts: readonly AssertionVerdict[],
  { signature, sent }: SentRequest = {},
): string {
  const kept: RunTrace = {
    timing: trace.timing,
    address: trace.address,
    responseHeaders: trace.responseHeaders,
  };
  if (fault) kept.fault = fault;
  if (verdicts.length > 0) kept.assertions = verdicts.map(keepShort);
  if (signature) kept.signature = signature;
  if (sent) kept.sent = { ...sent, url: sent.url.slice(0, MOST_URL_CHARACTERS) };
  return JSON.stringify(kept);
}

function keepShort({ assertion, ok, expected, got }: AssertionVerdict): JudgedAssertion {
  return { assertion: cutTexts(assertion), ok, expected: cut(expected), got: cut(got) };
}

function cutTexts(assertion: Assertion): Assertion {
  const cutIfText = (value: unknown) => (typeof value === 'string' ? cut(value) : value);
  const entries = Object.entries(assertion).map(([name, value]) => [name, cutIfText(value)]);
  return Object.fromEntries(entries) as Assertion;
}

function cut(text: string): string {
  return text.length <= MOST_CHARACTERS + 1 ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}

/** Reads a stored trace; null if there is none, or if another version wrote it in a form that cannot be read. */
export function readTrace(text: string | null): RunTrace | null {
  if (text === null) return null;
  try {
    const trace = JSON.parse(text) as Partial<RunTrace> | null;
    const isWhole = trace?.timing !== undefined && Array.isArray(trace.responseHeaders);
    return isWhole ? (trace as RunTrace) : null;
  } catch {
    return null;
  }
}

import { hash } from 'node:crypto';

import type { Assertion } from './assertion.ts';
import type { AssertionVerdict } from './assertions.ts';
import type { FaultCode } from './connection-faults.ts';
import type { HttpMethod, Trace } from './exchange.ts';
import type { Signature } from './signature.ts';

/** An assertion as it was judged when the run ended; long texts are cut. */
interface JudgedAssertion {
  assertion: Assertion;
  ok: boolean;
  expected: string;
  got: string;
}

/** What is kept of how a run went, beside its response: at most some tens of kilobytes of JSON. */
export interface RunTrace extends Trace {
  /** Why the exchange broke off; absent where it did not, and in traces of older versions. */
  fault?: FaultCode;
  /** Absent where nothing was asserted or the answer was no 2xx. */
  assertions?: readonly JudgedAssertion[];
  /** How the request was signed; absent where it was not, or where it was refused before it went out. */
  signature?: Signature;
  /** What an execution was sent by: its cron may have been edited since. */
  sent?: {
    method: HttpMethod;
    url: string;
    /** See `hashPayload`; absent in traces of older versions. */
    payloadHash?: string;
  };
}

/** What is known of the request beyond what its job says. */
interface SentRequest {
  signature?: Signature | null;
  sent?: RunTrace['sent'];
}

const MOST_CHARACTERS = 200;
const MOST_URL_CHARACTERS = 4_096;

/** Tells whether a cron still has the payload that a run was sent with. */
export function hashPayload(payload: string | null): string {
  return payload === null ? '' : hash('sha256', payload, 'base64url');
}

/** The trace as it is stored: JSON text. */
export function writeTrace(
  { trace, fault }: { trace: Trace; fault?: FaultCode },
  verdicts: readonly AssertionVerdict[],
  { signature, sent }: SentRequest = {},
): string {
  const kept: RunTrace = {
    ...trace,
    ...(fault && { fault }),
    ...(verdicts.length > 0 && { assertions: verdicts.map(keepShort) }),
    ...(signature && { signature }),
    ...(sent && { sent: { ...sent, url: sent.url.slice(0, MOST_URL_CHARACTERS) } }),
  };
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

/** Reads a stored trace; null for none, or for one of a version that wrote something else. */
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

import { hash } from 'node:crypto';

import type { Assertion } from '../judging/assertion.ts';
import { type AssertionVerdict, cutShown } from '../judging/assertions.ts';
import type { HttpMethod, Trace } from '../http/exchange.ts';
import type { Signature } from '../http/signature.ts';

/** Stored with a run: at most some tens of kilobytes of JSON. */
export interface RunTrace extends Trace {
  /** Absent without assertions or 2xx. The assertion's texts are cut. */
  assertions?: readonly AssertionVerdict[];
  /** Absent if unsigned or not sent. */
  signature?: Signature;
  /** Kept because the cron may have been edited since. */
  sent?: {
    method: HttpMethod;
    url: string;
    payloadHash: string;
  };
}

interface SentRequest {
  signature?: Signature | null;
  sent?: RunTrace['sent'];
}

const MOST_URL_CHARACTERS = 4_096;

export function hashPayload(payload: string | null): string {
  return payload === null ? '' : hash('sha256', payload, 'base64url');
}

export function writeTrace(
  trace: Trace,
  verdicts: readonly AssertionVerdict[],
  { signature, sent }: SentRequest = {},
): string {
  const kept: RunTrace = {
    timing: trace.timing,
    address: trace.address,
    responseHeaders: trace.responseHeaders,
  };
  if (verdicts.length > 0) kept.assertions = verdicts.map(keepShort);
  if (signature) kept.signature = signature;
  if (sent) kept.sent = { ...sent, url: sent.url.slice(0, MOST_URL_CHARACTERS) };
  return JSON.stringify(kept);
}

function keepShort(verdict: AssertionVerdict): AssertionVerdict {
  return { ...verdict, assertion: cutTexts(verdict.assertion) };
}

function cutTexts(assertion: Assertion): Assertion {
  const cutIfText = (value: unknown) => (typeof value === 'string' ? cutShown(value) : value);
  const entries = Object.entries(assertion).map(([name, value]) => [name, cutIfText(value)]);
  return Object.fromEntries(entries) as Assertion;
}

/** Null if there is none or it can't be read. */
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

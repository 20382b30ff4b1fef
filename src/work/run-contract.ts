import type { Assertion } from '#domain/assertion';
import type { AssertionVerdict } from '#domain/assertions';
import type { HeaderList, HttpMethod } from '#domain/exchange';
import type { Explanation } from '#domain/explain-failure';
import type { showRun } from './run-detail.ts';
import type { ExecutionRunDetail, JobRunDetail } from './run-pages.ts';
import type { TestRunDetail } from './test-run.ts';

export type { BoundedCount } from '#store/database/bounded-count';
export type { ExecutionRunDetail, Explanation, JobRunDetail, TestRunDetail };

/** Null: a secret (§5.9) that was not requested. */
export interface ShownHeader {
  name: string;
  value: string | null;
  isSecret: boolean;
}

/** Built by the rules for sending (§2.6). */
export interface ShownRequest {
  method: HttpMethod;
  /** Including the query that the payload of a GET makes. */
  url: string;
  /** In order, with those that frame the message and its signature. */
  headers: ShownHeader[];
  /** False if the cron's payload was edited after this run; the present payload is shown then. */
  isPayloadKnown: boolean;
  /** At most 16,384 characters, unless the whole was requested. Null: no body. */
  bodyText: string | null;
  bodyBytes: number;
  isBodyCut: boolean;
  /**
   * `<timestamp>.<body>` (§5.6), cut like the body; null if unsigned, not sent, or its body
   * is not kept.
   */
  signedText: string | null;
  /** The last characters; null if unsigned or unknown. */
  signedWith: string | null;
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

export type RunDetail = ReturnType<typeof showRun> & { apiCall: string };

export type RecordedRun = JobRunDetail | ExecutionRunDetail;

export type JobDraft = JobRunDetail['again'];

export type TestDraft =
  | {
      kind: 'job';
      method: HttpMethod;
      url: string;
      headers: HeaderList;
      /** The form did not show their values; neither does the answer. */
      masked?: readonly string[];
      payloadJson: string | null;
      /** Its timeout and assertions apply; the defaults if it doesn't exist yet. */
      queue: string;
    }
  | {
      kind: 'cron';
      method: HttpMethod;
      url: string;
      headers: HeaderList;
      masked?: readonly string[];
      payload: string | null;
      timeoutSeconds: number;
      assertions: readonly Assertion[];
    }
  | {
      kind: 'queue';
      method: HttpMethod;
      url: string;
      timeoutSeconds: number;
      assertions: readonly Assertion[];
    };

export type TestRunOutcome = TestRunDetail | { kind: 'limit-reached' } | { kind: 'busy' };

export interface ShowOptions {
  showSecrets?: boolean;
  isWhole?: boolean;
}

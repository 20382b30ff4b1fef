/** What the pages of single runs (a job's attempt, a cron's execution) show. Types only. */
import type { Assertion } from '#domain/assertion';
import type { AssertionVerdict } from '#domain/assertions';
import type { HeaderList, HttpMethod, Timing } from '#domain/exchange';
import type { Explanation } from '#domain/explain-failure';
import type { FailureReason } from '#domain/failure';
import type { JobRecord } from '#store/jobs/job-records';
import type { ExecutionRecord } from '#store/crons/crons';

export type { BoundedCount } from '#store/lists/job-counts';
export type { Explanation };

/** One header of the request; `value` is null where it is a secret (§5.9) and was not asked for. */
export interface ShownHeader {
  name: string;
  value: string | null;
  isSecret: boolean;
}

/** The request as it is (or was) sent, built by the same rules (§2.6). */
export interface ShownRequest {
  method: HttpMethod;
  /** With the query that a GET's payload makes. */
  url: string;
  /** All that go out, in order: with those that frame the message, and once it was sent with its signature. */
  headers: ShownHeader[];
  /** False where the cron's payload was edited after this run: what is shown here is the one of now. */
  isPayloadKnown: boolean;
  /** The body as text, or null for none; at most 16,384 characters of it, unless all was asked for. */
  bodyText: string | null;
  bodyBytes: number;
  isBodyCut: boolean;
  /**
   * What was signed (§5.6): `<timestamp>.<body>`, cut like the body; null where the request went out unsigned,
   * has not been sent, or where its body isn't known any more.
   */
  signedText: string | null;
  /** How the secret ended that it was signed with; null where it went out unsigned, or where that is not known. */
  signedWith: string | null;
}

export interface ShownResponse {
  /** Null where no status line came. */
  status: number | null;
  headers: HeaderList;
  /** The first 2,000 characters of what is kept (§2.5). */
  bodyStart: string;
  /** Whether more than `bodyStart` is kept: `readResponseText` gives all of it. */
  hasMore: boolean;
  /** How many bytes the whole body had, kept or not. */
  totalBytes: number;
  keptBytes: number;
}

/** `ok` null: it was not evaluated (the answer was no 2xx). */
export type ShownAssertion = Omit<AssertionVerdict, 'ok'> & { ok: boolean | null };

/**
 * `none`: no callback URL. `not-due`: the run has not ended, or ended in a way that calls nobody.
 * `waiting`: recorded, not sent yet. `sent`: given out for sending, once; what came of it is not kept (§6.1).
 */
export interface ShownCallback {
  url: string | null;
  state: 'none' | 'not-due' | 'waiting' | 'sent';
}

/** What every detail page shows, whichever kind of run it is. */
export interface RunDetail {
  request: ShownRequest;
  /** Null before the run has ended, and where nothing was sent. */
  response: ShownResponse | null;
  /** Null where nothing was sent. */
  timing: Timing | null;
  /** The IPv4 address that was dialled. */
  address: string | null;
  /** What was judged when the run ended; before that, what its queue or cron asserts now (`ok` null). */
  assertions: ShownAssertion[];
  callback: ShownCallback;
  /** Null unless the run failed. */
  explanation: Explanation | null;
  /** Commands with secrets masked unless they were asked for. */
  curl: string;
  apiCall: string;
}

/** A target has asked to be left alone for a while (§3.4). */
export interface AskedWait {
  until: number;
  /** Whether the retry is put off until then; else it is due earlier, because its queue does not wait for that. */
  isKept: boolean;
}

export interface JobRunDetail extends RunDetail {
  kind: 'job';
  job: JobRecord;
  /** All attempts of the job, first to last, this one among them. */
  attempts: JobRecord[];
  /** The failed job whose Retry made this one. */
  retryOf: string | null;
  /** What the target said about the time of the retry; null where that changes nothing. */
  askedWait: AskedWait | null;
  /** For "create again with edits". Null header values are secrets that were not asked for. */
  again: JobDraft;
}

export interface ExecutionRunDetail extends RunDetail {
  kind: 'execution';
  execution: ExecutionRecord;
  cron: { id: string; name: string; cronExpression: string };
}

/** A job's request, to fill the form with. */
export interface JobDraft {
  queue: string;
  url: string;
  method: HttpMethod;
  headers: ShownHeader[];
  /** JSON text, or empty. */
  payload: string;
  callbackUrl: string;
}

/** What a form says now, read by job-input.ts or cron-input.ts. */
export type TestDraft =
  | {
      kind: 'job';
      method: HttpMethod;
      url: string;
      headers: HeaderList;
      /** Names of headers whose values the form did not show, and its answer does not. */
      masked?: readonly string[];
      payloadJson: string | null;
      /** The name of the queue whose timeout and assertions hold; the defaults where there is none yet. */
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
      /** A queue's form: its settings, tried against a URL. */
      kind: 'queue';
      method: HttpMethod;
      url: string;
      timeoutSeconds: number;
      assertions: readonly Assertion[];
    };

/** How a test run ended; nothing of it is kept. */
export interface TestRunDetail extends RunDetail {
  kind: 'test';
  status: 'success' | 'failed';
  responseStatus: number | null;
  reason: FailureReason | null;
  errorMessage: string | null;
  durationMs: number;
  startedAt: number;
}

export type TestRunOutcome =
  | TestRunDetail
  /** The month's requests are used up: nothing was sent. */
  | { kind: 'limit-reached' }
  /** As many test runs as one team may have under way are. */
  | { kind: 'busy' };

interface ShowOptions {
  /** True gives the values of secret headers, because somebody asked. */
  showSecrets?: boolean;
  /** True gives the request's body whole, however long it is. */
  isWhole?: boolean;
}

export interface RunPages {
  /** One attempt with everything around it. Null: the team has no such job. */
  readJobDetail(teamId: string, jobId: string, options?: ShowOptions): Promise<JobRunDetail | null>;
  readExecutionDetail(
    teamId: string,
    executionId: string,
    options?: ShowOptions,
  ): Promise<ExecutionRunDetail | null>;
  /** All that is kept of a response (65,535 bytes, cut at a character), as text. Null: no such run or response. */
  readResponseText(teamId: string, runId: string): Promise<string | null>;
  /**
   * Sends what a form says now, under the same guard. Counts to the quota; nothing is kept; no retry, callback
   * or alert follows. Resolves when the answer is in (up to the timeout).
   */
  testRun(teamId: string, draft: TestDraft): Promise<TestRunOutcome>;
}

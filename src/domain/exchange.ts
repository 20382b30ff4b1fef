import type { FaultCode } from './connection-faults.ts';
import type { JsonFindings } from './json/find.ts';
import type { PathStep } from './json/path.ts';

/**
 * One HTTP exchange as plain data: the request for `outgoing`, and its outcome. Independent of jobs, crons and
 * databases.
 */

export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** Header names and values in the order and case in which they were configured (§2.6). */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A request exactly as it goes on the wire (§2.6); `Host`, `Connection` and `Content-Length` are added when it is sent. */
export interface OutgoingRequest {
  method: HttpMethod;
  /** Absolute http(s) URL without fragment, its query complete. */
  url: string;
  headers: HeaderList;
  /** The bytes of the body, or null for none at all. */
  body: Uint8Array | null;
}

/**
 * The parts of the response body that the judge needs. They are listed in advance because the body is streamed (§2.7).
 */
export interface BodyNeeds {
  /** Texts to look for anywhere in the body, at any size (`Body contains`). */
  searchFor: readonly string[];
  /** JSON paths to follow through the body, at any size (`JSON path equals`). */
  paths: readonly (readonly PathStep[])[];
}

/** How long each part of an attempt took, in milliseconds; null for a part that did not happen (a reused connection). */
export interface Timing {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  waitingMs: number | null;
  receivingMs: number | null;
}

export interface ReceivedBody {
  /** The first 65,535 bytes after decoding (§2.5). */
  stored: Uint8Array;
  /**
   * The length of the whole body after decoding. If decoding stopped early, because nothing more was wanted from the
   * body, it is the length decoded until then.
   */
  totalBytes: number;
  /** For each text of `BodyNeeds.searchFor`, whether it occurred. */
  found: readonly boolean[];
  /** The values at `BodyNeeds.paths`; null without paths. */
  json: JsonFindings | null;
}

/** Where and how the request was sent, for the page of the run. */
export interface Trace {
  timing: Timing;
  /** The IPv4 address that was dialled, or null when none was. */
  address: string | null;
  /** Response headers as received, at most 16 KiB. */
  responseHeaders: HeaderList;
}

/**
 * The outcome of one exchange (§2.7, §2.11). `durationMs` covers all of it, from DNS to the last byte. `status` is
 * kept if a status line arrived before the exchange broke off.
 */
export type Exchange =
  | { kind: 'answered'; status: number; body: ReceivedBody; durationMs: number; trace: Trace }
  | {
      kind: 'timed-out';
      afterSeconds: number;
      status: number | null;
      durationMs: number;
      trace: Trace;
    }
  | { kind: 'broken'; fault: FaultCode; status: number | null; durationMs: number; trace: Trace }
  | { kind: 'unresolvable'; durationMs: number; trace: Trace }
  | { kind: 'blocked'; durationMs: number; trace: Trace };

/** The outcome of a request whose query no target would accept (§2.6). It is not sent. */
export const QUERY_TOO_LONG: Exchange = {
  kind: 'broken',
  fault: 'query-too-long',
  status: null,
  durationMs: 0,
  trace: {
    timing: { dnsMs: null, connectMs: null, tlsMs: null, waitingMs: null, receivingMs: null },
    address: null,
    responseHeaders: [],
  },
};

interface SendOptions {
  timeoutSeconds: number;
  needs: BodyNeeds;
}

/** Receives the outcome of an exchange: one call, which must not throw. */
export interface ExchangeUser {
  onExchange(exchange: Exchange): void;
}

/** The engine's interface to `outgoing`. It never throws or rejects: every fault is an `Exchange`. */
export interface Sender {
  send(request: OutgoingRequest, options: SendOptions): Promise<Exchange>;
  /** Like `send`, without a promise. `onExchange` may be called before this returns. */
  begin(request: OutgoingRequest, options: SendOptions, user: ExchangeUser): void;
}

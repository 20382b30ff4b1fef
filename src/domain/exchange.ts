import type { FaultCode } from './connection-faults.ts';
import type { JsonFindings } from './json-find.ts';
import type { PathStep } from './json-path.ts';

/**
 * One HTTP exchange as plain data: what `outgoing` is asked to send and what came of it.
 * Nothing here knows of jobs, crons or databases.
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

/** What the judge will want to know of the response body, told beforehand because the body is streamed (§2.7). */
export interface BodyNeeds {
  /** Texts to look for anywhere in the body, at any size (`Body contains`). */
  searchFor: readonly string[];
  /** Places to look for in a body that is JSON, up to 16 MiB (`JSON path equals`). */
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
   * How many bytes the whole body had after decoding. Where decoding stopped early, because nothing more
   * was wanted of the body, it is what had been decoded by then.
   */
  totalBytes: number;
  /** For each text of `BodyNeeds.searchFor`, whether it occurred. */
  found: readonly boolean[];
  /** What the body holds at each of `BodyNeeds.paths`; 'too-large' above 16 MiB; null when nothing was asked for. */
  json: JsonFindings | 'too-large' | null;
}

/** Where the request went and how: for people who look into a run. */
export interface Trace {
  timing: Timing;
  /** The IPv4 address that was dialled, or null when none was. */
  address: string | null;
  /** Response headers as received, at most 16 KiB of them. */
  responseHeaders: HeaderList;
}

/**
 * What came of one exchange (§2.7, §2.11). `durationMs` covers all of it, from DNS to the last byte.
 * `status` is kept wherever a status line arrived before the exchange broke.
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

/** A request whose query no target takes (§2.6): it is not sent. */
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

/** The one thing the engine asks of `outgoing`. Never rejects: every fault is an `Exchange`. */
export interface Sender {
  send(
    request: OutgoingRequest,
    options: { timeoutSeconds: number; needs: BodyNeeds },
  ): Promise<Exchange>;
}

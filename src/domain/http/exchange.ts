import type { ServerCertificate } from './certificate.ts';
import type { FaultCode } from './connection-faults.ts';
import type { JsonFindings } from '../json/find.ts';
import type { PathStep } from '../json/path.ts';

export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** In the configured order and case (§2.6). */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** As sent (§2.6), without `Host`, `Connection` and `Content-Length`. */
export interface OutgoingRequest {
  method: HttpMethod;
  url: string;
  headers: HeaderList;
  body: Uint8Array | null;
}

/** Listed in advance, because the body is streamed (§2.7). */
export interface BodyNeeds {
  searchFor: readonly string[];
  paths: readonly (readonly PathStep[])[];
}

/** Milliseconds; null for a part that didn't happen. */
export interface Timing {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  waitingMs: number | null;
  receivingMs: number | null;
}

/** At least in part: a connection was open. */
export function isSent({ waitingMs }: Timing): boolean {
  return waitingMs !== null;
}

export interface ReceivedBody {
  stored: Uint8Array;
  /** If decoding stopped early, the length until then. */
  totalBytes: number;
  /** For each text of `BodyNeeds.searchFor`. */
  found: readonly boolean[];
  json: JsonFindings | null;
}

export interface Trace {
  timing: Timing;
  /** Null if none was dialled. */
  address: string | null;
  /** At most 16 KiB. */
  responseHeaders: HeaderList;
  /** Absent unless this exchange opened a TLS connection with a whole handshake. Not stored with the run. */
  certificate?: ServerCertificate;
}

/**
 * `durationMs` covers everything from DNS to the last byte. `status` is kept if the exchange broke off after the
 * status line.
 */
export type Exchange = { durationMs: number; trace: Trace } & (
  | { kind: 'answered'; status: number; body: ReceivedBody }
  | { kind: 'timed-out'; afterSeconds: number; status: number | null }
  | { kind: 'broken'; fault: FaultCode; status: number | null }
  | { kind: 'unresolvable' }
  | { kind: 'blocked' }
);

/** Such a query isn't sent (§2.6). */
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

export interface SendOptions {
  timeoutSeconds: number;
  /** Absent: nothing but the stored part. */
  needs?: BodyNeeds;
}

/** `onExchange` must not throw. */
export interface ExchangeUser {
  onExchange(exchange: Exchange): void;
}

/** Never throws or rejects: every fault is an `Exchange`. */
export interface Sender {
  send(request: OutgoingRequest, options: SendOptions): Promise<Exchange>;
  /** `onExchange` may be called before this returns. */
  begin(request: OutgoingRequest, options: SendOptions, user: ExchangeUser): void;
}

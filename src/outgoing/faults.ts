/**
 * What went wrong with a connection, in plain words: the end of `Connection error: …` (§2.7).
 * Decided on codes and names; what has none here gets a general text.
 */

const FAULTS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ECONNABORTED: 'connection aborted',
  EPIPE: 'connection closed while sending',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  EHOSTDOWN: 'host is down',
  ENETUNREACH: 'network unreachable',
  ENETDOWN: 'network is down',
  EADDRNOTAVAIL: 'no local address or port is free',
  EMFILE: 'too many open connections',
  ENFILE: 'too many open connections',
  EACCES: 'connection not permitted',
  EPERM: 'connection not permitted',
  CERT_HAS_EXPIRED: 'TLS certificate has expired',
  CERT_NOT_YET_VALID: 'TLS certificate is not yet valid',
  CERT_REVOKED: 'TLS certificate has been revoked',
  CERT_UNTRUSTED: 'TLS certificate is not trusted',
  CERT_REJECTED: 'TLS certificate is not trusted',
  CERT_SIGNATURE_FAILURE: 'TLS certificate has a wrong signature',
  CERT_CHAIN_TOO_LONG: 'TLS certificate chain is too long',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS certificate chain holds a self-signed certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS certificate cannot be verified',
  UNABLE_TO_GET_ISSUER_CERT: 'TLS certificate has an unknown issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'TLS certificate has an unknown issuer',
  INVALID_CA: 'TLS certificate has an invalid issuer',
  INVALID_PURPOSE: 'TLS certificate is not meant for servers',
  HOSTNAME_MISMATCH: 'TLS certificate is for another host',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS certificate is for another host',
  ERR_TLS_CERT_ALTNAME_FORMAT: 'TLS certificate cannot be read',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'TLS 1.2 or newer is required',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'TLS 1.2 or newer is required',
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: 'TLS 1.2 or newer is required',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the other side does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the other side does not speak TLS',
  ERR_SSL_HTTP_REQUEST: 'the other side does not speak TLS',
  ERR_SSL_UNEXPECTED_MESSAGE: 'the other side does not speak TLS',
  CLOSED_EARLY: 'connection closed while opening',
  UND_ERR_HEADERS_OVERFLOW: 'response headers are too large',
  UND_ERR_INVALID_ARG: 'the request cannot be written as HTTP',
  UND_ERR_NOT_SUPPORTED: 'the request cannot be written as HTTP',
  UND_ERR_CLOSED: 'the service is stopping',
  UND_ERR_DESTROYED: 'the service is stopping',
};

/** The other side closed the connection without a fault of its own. */
const CLOSED = 'UND_ERR_SOCKET';

/** A body longer or shorter than announced; also said where the announcement itself is no number. */
const WRONG_LENGTH = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

const ENDED_EARLY = 'response ended early';

/** How far an exchange had come when it broke; the same error means different things. */
export type Progress = 'connecting' | 'waiting' | 'receiving';

const GENERAL: Record<Progress, string> = {
  connecting: 'connection failed',
  waiting: 'response is not valid HTTP',
  receiving: 'response is not valid HTTP',
};

/** The fault in plain words, for an error of a socket, of TLS or of the HTTP parser. */
export function describeFault(error: unknown, progress: Progress): string {
  if (!(error instanceof Error)) return GENERAL[progress];
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === CLOSED) return describeClosing(error, progress);
  if (code === WRONG_LENGTH) return progress === 'receiving' ? ENDED_EARLY : GENERAL[progress];
  const known = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
  if (known !== undefined) return known;
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'TLS handshake failed';
  return isCutShort(error) ? ENDED_EARLY : GENERAL[progress];
}

function describeClosing(error: Error, progress: Progress): string {
  if (progress === 'receiving') return ENDED_EARLY;
  // undici says so where bytes came that it will not read as an answer, such as a switch of protocols.
  const isRefusal = /^bad (?:response|upgrade)$/.test(error.message);
  return isRefusal ? GENERAL.waiting : 'connection closed before a response came';
}

/** The parser's errors have no code; one that stopped it at the end of the connection has no bytes left over. */
function isCutShort(error: Error): boolean {
  return error.name === 'HTTPParserError' && 'data' in error && error.data === '';
}

import type { FaultCode } from '#domain/connection-faults';

/** Fault codes by the error's code. Errors that are not listed get a general fault. */
const FAULTS: Record<string, FaultCode> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'aborted',
  EPIPE: 'closed-while-sending',
  ETIMEDOUT: 'timed-out',
  EHOSTUNREACH: 'host-unreachable',
  EHOSTDOWN: 'host-down',
  ENETUNREACH: 'network-unreachable',
  ENETDOWN: 'network-down',
  EADDRNOTAVAIL: 'no-local-address',
  EMFILE: 'too-many-open',
  ENFILE: 'too-many-open',
  EACCES: 'not-permitted',
  EPERM: 'not-permitted',
  CERT_HAS_EXPIRED: 'certificate-expired',
  CERT_NOT_YET_VALID: 'certificate-not-yet-valid',
  CERT_REVOKED: 'certificate-revoked',
  CERT_UNTRUSTED: 'certificate-not-trusted',
  CERT_REJECTED: 'certificate-not-trusted',
  CERT_SIGNATURE_FAILURE: 'certificate-signature',
  CERT_CHAIN_TOO_LONG: 'certificate-chain-long',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate-self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate-chain-self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate-unverified',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate-unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate-unknown-issuer',
  INVALID_CA: 'certificate-invalid-issuer',
  INVALID_PURPOSE: 'certificate-not-for-servers',
  HOSTNAME_MISMATCH: 'certificate-of-another-host',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-of-another-host',
  ERR_TLS_CERT_ALTNAME_FORMAT: 'certificate-unreadable',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls-too-old',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'tls-too-old',
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: 'tls-too-old',
  ERR_SSL_WRONG_VERSION_NUMBER: 'not-tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'not-tls',
  ERR_SSL_HTTP_REQUEST: 'not-tls',
  ERR_SSL_UNEXPECTED_MESSAGE: 'not-tls',
  CLOSED_EARLY: 'closed-while-opening',
  UND_ERR_HEADERS_OVERFLOW: 'headers-too-large',
  UND_ERR_INVALID_ARG: 'request-not-http',
  UND_ERR_NOT_SUPPORTED: 'request-not-http',
  UND_ERR_CLOSED: 'stopping',
  UND_ERR_DESTROYED: 'stopping',
};

/** undici's error when the other side closed the connection without an error. */
const CLOSED = 'UND_ERR_SOCKET';

/** undici's error for a body longer or shorter than announced, and for an announced length that is not a number. */
const WRONG_LENGTH = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

const ENDED_EARLY = 'response-cut';

/** How far an exchange had come when it broke off. The same error means different things at each stage. */
export type Progress = 'connecting' | 'waiting' | 'receiving';

const GENERAL: Record<Progress, FaultCode> = {
  connecting: 'failed',
  waiting: 'not-http',
  receiving: 'not-http',
};

/** The fault code for an error of a socket, of TLS or of the HTTP parser. */
export function faultOf(error: unknown, progress: Progress): FaultCode {
  if (!(error instanceof Error)) return GENERAL[progress];
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === CLOSED) return faultOfClosing(error, progress);
  if (code === WRONG_LENGTH) return progress === 'receiving' ? ENDED_EARLY : GENERAL[progress];
  const known = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
  if (known !== undefined) return known;
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls-failed';
  return isCutShort(error) ? ENDED_EARLY : GENERAL[progress];
}

function faultOfClosing(error: Error, progress: Progress): FaultCode {
  if (progress === 'receiving') return ENDED_EARLY;
  // undici's messages for bytes that it cannot read as a response, such as a switch of protocols.
  const isRefusal = /^bad (?:response|upgrade)$/.test(error.message);
  return isRefusal ? GENERAL.waiting : 'closed-before-response';
}

/**
 * Whether the response ended too early. The parser's errors have no code, but at the end of the connection none of
 * its bytes are left over.
 */
function isCutShort(error: Error): boolean {
  return error.name === 'HTTPParserError' && 'data' in error && error.data === '';
}

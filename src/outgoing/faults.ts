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
  STOPPING: 'stopping',
};

/** How far an exchange had come when it broke off. The same error means different things at each stage. */
type Progress = 'connecting' | 'waiting' | 'receiving';

/** The fault code for an error of a socket or of TLS. */
export function faultOf(error: Error | null, progress: Progress): FaultCode {
  const code = error !== null && 'code' in error ? String(error.code) : '';
  const known = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
  if (known !== undefined) return known;
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls-failed';
  if (progress === 'connecting') return 'failed';
  return progress === 'waiting' ? 'closed-before-response' : 'response-cut';
}

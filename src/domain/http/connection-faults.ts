interface ConnectionFault {
  /** The end of `Connection error: …` (§2.7). */
  says: string;
  /** Codes of Node's errors. */
  from?: readonly string[];
  /** Absent if `says` is enough. */
  means?: readonly [title: string, text: string, step: string];
}

/** For opening a connection (§2.7). */
export const CONNECT_SECONDS = 10;

const CUT = 'The target, or something in front of it such as a proxy, cut the connection.';
const CHECK_CERTIFICATE = [
  'The certificate cannot be trusted',
  'The TLS certificate of the target is not signed by an authority that is commonly trusted, or is broken.',
  'Install a certificate of a public authority with its whole chain on the target. For an authority of your own, the operator can set NODE_EXTRA_CA_CERTS.',
] as const;
const certificate = (isOrHas: string, ...from: string[]): ConnectionFault => ({
  says: `TLS certificate ${isOrHas}`,
  from,
  means: CHECK_CERTIFICATE,
});
const CANNOT_BE_SENT = [
  'The request cannot be sent',
  'Something in the URL or the headers cannot be written as HTTP.',
  'Look for odd characters in the URL and the headers.',
] as const;
export const NOT_OPENED_STEP =
  'Make sure the target is running and its firewall allows requests from outside.';
const NOT_OPENED = [
  'The connection could not be opened',
  'Nothing answered at this address. A firewall that drops packets looks the same.',
  NOT_OPENED_STEP,
] as const;
const NOT_ALLOWED_HERE = [
  'The request did not leave the machine',
  'The operating system of this installation refused the connection, so nothing was sent.',
  'The operator should check the firewall of this machine, its limit of open files and its free ports.',
] as const;
const corrupt = (coding: string): ConnectionFault => ({
  says: `response body is not valid ${coding}`,
  means: [
    'The response cannot be unpacked',
    `The target announces a body in ${coding}, but the body has another encoding.`,
    'Make the target use the encoding that it announces, or answer uncompressed.',
  ],
});

/** Runs store `says`, so neither it nor a code ever changes its meaning. */
const FAULTS = {
  refused: {
    says: 'connection refused',
    from: ['ECONNREFUSED'],
    means: [
      'The connection was refused',
      'The machine answers, but nothing listens at this port.',
      'Make sure the target is running and the port in the URL is right.',
    ],
  },
  reset: {
    says: 'connection reset',
    from: ['ECONNRESET'],
    means: [
      'The connection was reset',
      CUT,
      'Check the logs of the target and its proxy for this time. The usual cause is a crash or a limit there.',
    ],
  },
  aborted: { says: 'connection aborted', from: ['ECONNABORTED'] },
  'closed-while-sending': {
    says: 'connection closed while sending',
    from: ['EPIPE'],
    means: [
      'The connection was closed while the request was sent',
      CUT,
      "Check the target's logs: it may refuse bodies of this size, or have crashed at this moment.",
    ],
  },
  'closed-while-opening': { says: 'connection closed while opening', from: ['CLOSED_EARLY'] },
  'closed-before-response': {
    says: 'connection closed before a response came',
    means: [
      'The connection was closed without a response',
      'The target took the request and closed the connection.',
      "Check the target's logs: it has often crashed or restarted at this moment.",
    ],
  },
  'response-cut': {
    says: 'response ended early',
    means: [
      'The response ended early',
      'The target began to answer and broke off.',
      "Check the target's logs: it has often crashed or hit a limit while it was writing.",
    ],
  },
  'timed-out': { says: 'connection timed out', from: ['ETIMEDOUT'], means: NOT_OPENED },
  'not-opened': {
    says: `connection timed out after ${CONNECT_SECONDS} seconds`,
    means: NOT_OPENED,
  },
  failed: { says: 'connection failed' },
  'not-permitted': {
    says: 'connection not permitted',
    from: ['EACCES', 'EPERM'],
    means: NOT_ALLOWED_HERE,
  },
  'no-local-address': {
    says: 'no local address or port is free',
    from: ['EADDRNOTAVAIL'],
    means: NOT_ALLOWED_HERE,
  },
  'too-many-open': {
    says: 'too many open connections',
    from: ['EMFILE', 'ENFILE'],
    means: NOT_ALLOWED_HERE,
  },
  'host-unreachable': {
    says: 'host unreachable',
    from: ['EHOSTUNREACH'],
    means: [
      'The host cannot be reached',
      'No route leads to this address.',
      'See that the address is right and the machine is up.',
    ],
  },
  'host-down': { says: 'host is down', from: ['EHOSTDOWN'] },
  'network-unreachable': {
    says: 'network unreachable',
    from: ['ENETUNREACH'],
    means: [
      'The network cannot be reached',
      'No route leads to this address.',
      'See that the address is right; if every target fails so, the service itself is cut off.',
    ],
  },
  'network-down': { says: 'network is down', from: ['ENETDOWN'] },
  'certificate-expired': {
    says: 'TLS certificate has expired',
    from: ['CERT_HAS_EXPIRED'],
    means: [
      'The certificate has expired',
      'The TLS certificate of the target is no longer valid.',
      'Renew the certificate on the target.',
    ],
  },
  'certificate-of-another-host': {
    says: 'TLS certificate is for another host',
    from: ['HOSTNAME_MISMATCH', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    means: [
      'The certificate is for another host',
      'The TLS certificate of the target does not name the host in the URL.',
      'Use the name that the certificate has, or have one issued for this name.',
    ],
  },
  'certificate-not-yet-valid': certificate('is not yet valid', 'CERT_NOT_YET_VALID'),
  'certificate-revoked': certificate('has been revoked', 'CERT_REVOKED'),
  'certificate-not-trusted': certificate('is not trusted', 'CERT_UNTRUSTED', 'CERT_REJECTED'),
  'certificate-signature': certificate('has a wrong signature', 'CERT_SIGNATURE_FAILURE'),
  'certificate-chain-long': certificate('chain is too long', 'CERT_CHAIN_TOO_LONG'),
  'certificate-self-signed': certificate('is self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
  'certificate-chain-self-signed': certificate(
    'chain holds a self-signed certificate',
    'SELF_SIGNED_CERT_IN_CHAIN',
  ),
  'certificate-unverified': certificate('cannot be verified', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
  'certificate-unknown-issuer': certificate(
    'has an unknown issuer',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ),
  'certificate-invalid-issuer': certificate('has an invalid issuer', 'INVALID_CA'),
  'certificate-not-for-servers': certificate('is not meant for servers', 'INVALID_PURPOSE'),
  'certificate-unreadable': certificate('cannot be read', 'ERR_TLS_CERT_ALTNAME_FORMAT'),
  'tls-too-old': {
    says: 'TLS 1.2 or newer is required',
    from: [
      'ERR_SSL_UNSUPPORTED_PROTOCOL',
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      'ERR_SSL_NO_PROTOCOLS_AVAILABLE',
    ],
    means: [
      'The target’s TLS is too old',
      'The target supports only versions of TLS that are no longer safe.',
      'Switch on TLS 1.2 or newer on the target.',
    ],
  },
  'not-tls': {
    says: 'the other side does not speak TLS',
    from: [
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'ERR_SSL_PACKET_LENGTH_TOO_LONG',
      'ERR_SSL_HTTP_REQUEST',
      'ERR_SSL_UNEXPECTED_MESSAGE',
    ],
    means: [
      'The target does not use TLS',
      'The URL begins with https, but the server at this port does not use TLS.',
      'Use http:// or the port of the TLS service.',
    ],
  },
  'tls-failed': {
    says: 'TLS handshake failed',
    means: [
      'No secure connection was made',
      'The target and the service have no TLS version or cipher in common.',
      'See that the target takes TLS 1.2 or newer with usual ciphers.',
    ],
  },
  'headers-too-large': {
    says: 'response headers are too large',
    means: [
      'The response headers are too large',
      'The target sent more headers than are read.',
      'Let the target send fewer or shorter headers; cookies are the usual cause.',
    ],
  },
  'too-many-informational': {
    says: 'too many informational responses',
    means: [
      'No final response came',
      'The target sent more than 16 informational responses (1xx), so the connection was closed.',
      'Let the target send its final response sooner.',
    ],
  },
  'not-http': {
    says: 'response is not valid HTTP',
    means: [
      'The response is not valid HTTP',
      'The server at this port uses another protocol, or its response breaks HTTP, for example with a wrong chunk length.',
      'Check the port in the URL. If it is right, look at the response with "curl -v".',
    ],
  },
  'corrupt-gzip': corrupt('gzip'),
  'corrupt-deflate': corrupt('deflate'),
  'corrupt-br': corrupt('br'),
  'query-too-long': {
    says: 'the query string is too long',
    means: [
      'The query is too long',
      'The payload makes a query string that no target takes, so nothing was sent.',
      'Use POST for a payload of this size.',
    ],
  },
  'header-of-sign-in': {
    says: 'a header that signs people in here is never sent',
    means: [
      'A header is not sent',
      'The proxy in front of this installation names users in this header. A request to the installation itself could use it to act as any user.',
      'Use another header, or contact the operator.',
    ],
  },
  'request-not-http': { says: 'the request cannot be written as HTTP', means: CANNOT_BE_SENT },
  'url-not-valid': { says: 'the URL is not valid', means: CANNOT_BE_SENT },
  stopping: {
    says: 'the service is stopping',
    from: ['STOPPING'],
    means: [
      'The service was stopping',
      'The service was stopped before the response was complete.',
      'Check the target, and send the request again if doing it twice does no harm.',
    ],
  },
} as const satisfies Record<string, ConnectionFault>;

export type FaultCode = keyof typeof FAULTS;

export const CONNECTION_FAULTS: Readonly<Record<FaultCode, ConnectionFault>> = FAULTS;

const PREFIX = 'Connection error: ';

export function faultMessage(code: FaultCode): string {
  return PREFIX + CONNECTION_FAULTS[code].says;
}

const BY_MESSAGE = new Map(
  (Object.keys(FAULTS) as FaultCode[]).map((code) => [faultMessage(code), code]),
);

const BY_ERROR = new Map(
  (Object.keys(FAULTS) as FaultCode[]).flatMap((code) =>
    (CONNECTION_FAULTS[code].from ?? []).map((error) => [error, code] as const),
  ),
);

/** The same error means different things at each stage. */
type Stage = 'connecting' | 'waiting' | 'receiving';

export function faultOf(error: Error | null, stage: Stage): FaultCode {
  const code = error !== null && 'code' in error ? String(error.code) : '';
  const known = BY_ERROR.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls-failed';
  if (stage === 'connecting') return 'failed';
  return stage === 'waiting' ? 'closed-before-response' : 'response-cut';
}

/** Of a run's error message; null if it is none of these. */
export function faultOfMessage(message: string | null): FaultCode | null {
  return BY_MESSAGE.get(message ?? '') ?? null;
}

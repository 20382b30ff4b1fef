/** The texts about an exchange that broke off: for the run's error message, and for people who look into the run. */
export interface ConnectionFault {
  /** The end of `Connection error: …` (§2.7). */
  says: string;
  /** A headline, an explanation and the next step; absent if `says` is all there is. */
  means?: readonly [title: string, text: string, step: string];
}

/** How long the opening of a connection may take (§2.7), in seconds. */
export const CONNECT_SECONDS = 10;

const CUT = 'The target, or something in front of it such as a proxy, cut the connection.';
const CHECK_CERTIFICATE = [
  'The certificate cannot be trusted',
  'The TLS certificate of the target is not signed by an authority that is commonly trusted, or is broken.',
  'Install a certificate of a public authority with its whole chain on the target.',
] as const;
const CANNOT_BE_SENT = [
  'The request cannot be sent',
  'Something in the URL or the headers cannot be written as HTTP.',
  'Look for odd characters in the URL and the headers.',
] as const;
const NOT_OPENED = [
  'The connection could not be opened',
  'Nothing answered at this address. A firewall that drops packets looks just so.',
  'See that the target runs and that its firewall lets requests from outside in.',
] as const;
const corrupt = (coding: string): ConnectionFault => ({
  says: `response body is not valid ${coding}`,
  means: [
    'The response cannot be unpacked',
    `The target announces a body in ${coding}, and what follows is something else.`,
    'See that the target compresses what it announces, or let it answer uncompressed.',
  ],
});

/**
 * Every way in which an exchange can break off, by the code that is stored with the run. A code keeps its meaning for
 * ever.
 */
const FAULTS = {
  refused: {
    says: 'connection refused',
    means: [
      'The connection was refused',
      'The machine answers, but nothing listens at this port.',
      'See that the target runs and that the port in the URL is right.',
    ],
  },
  reset: {
    says: 'connection reset',
    means: [
      'The connection was reset',
      CUT,
      'Look into the logs of the target and its proxy at this time; a crash or a limit there is the usual cause.',
    ],
  },
  aborted: { says: 'connection aborted' },
  'closed-while-sending': {
    says: 'connection closed while sending',
    means: [
      'The connection was closed while the request was sent',
      CUT,
      'Look into the logs of the target: it may refuse bodies of this size, or have crashed at this moment.',
    ],
  },
  'closed-while-opening': { says: 'connection closed while opening' },
  'closed-before-response': {
    says: 'connection closed before a response came',
    means: [
      'The connection was closed without a response',
      'The target took the request and closed the connection.',
      'Look into the logs of the target: it has often crashed or restarted at this moment.',
    ],
  },
  'response-cut': {
    says: 'response ended early',
    means: [
      'The response ended early',
      'The target began to answer and broke off.',
      'Look into the logs of the target; it has often crashed or hit a limit while it was writing.',
    ],
  },
  'timed-out': { says: 'connection timed out', means: NOT_OPENED },
  'not-opened': {
    says: `connection timed out after ${CONNECT_SECONDS} seconds`,
    means: NOT_OPENED,
  },
  failed: { says: 'connection failed' },
  'not-permitted': { says: 'connection not permitted' },
  'no-local-address': { says: 'no local address or port is free' },
  'too-many-open': { says: 'too many open connections' },
  'host-unreachable': {
    says: 'host unreachable',
    means: [
      'The host cannot be reached',
      'No route leads to this address.',
      'See that the address is right and the machine is up.',
    ],
  },
  'host-down': { says: 'host is down' },
  'network-unreachable': {
    says: 'network unreachable',
    means: [
      'The network cannot be reached',
      'No route leads to this address.',
      'See that the address is right; if every target fails so, the service itself is cut off.',
    ],
  },
  'network-down': { says: 'network is down' },
  'certificate-expired': {
    says: 'TLS certificate has expired',
    means: [
      'The certificate has expired',
      'The TLS certificate of the target is no longer valid.',
      'Renew the certificate on the target.',
    ],
  },
  'certificate-of-another-host': {
    says: 'TLS certificate is for another host',
    means: [
      'The certificate is for another host',
      'The TLS certificate of the target does not name the host in the URL.',
      'Use the name that the certificate has, or have one issued for this name.',
    ],
  },
  'certificate-not-yet-valid': {
    says: 'TLS certificate is not yet valid',
    means: CHECK_CERTIFICATE,
  },
  'certificate-revoked': { says: 'TLS certificate has been revoked', means: CHECK_CERTIFICATE },
  'certificate-not-trusted': { says: 'TLS certificate is not trusted', means: CHECK_CERTIFICATE },
  'certificate-signature': {
    says: 'TLS certificate has a wrong signature',
    means: CHECK_CERTIFICATE,
  },
  'certificate-chain-long': {
    says: 'TLS certificate chain is too long',
    means: CHECK_CERTIFICATE,
  },
  'certificate-self-signed': {
    says: 'TLS certificate is self-signed',
    means: CHECK_CERTIFICATE,
  },
  'certificate-chain-self-signed': {
    says: 'TLS certificate chain holds a self-signed certificate',
    means: CHECK_CERTIFICATE,
  },
  'certificate-unverified': {
    says: 'TLS certificate cannot be verified',
    means: CHECK_CERTIFICATE,
  },
  'certificate-unknown-issuer': {
    says: 'TLS certificate has an unknown issuer',
    means: CHECK_CERTIFICATE,
  },
  'certificate-invalid-issuer': {
    says: 'TLS certificate has an invalid issuer',
    means: CHECK_CERTIFICATE,
  },
  'certificate-not-for-servers': {
    says: 'TLS certificate is not meant for servers',
    means: CHECK_CERTIFICATE,
  },
  'certificate-unreadable': { says: 'TLS certificate cannot be read', means: CHECK_CERTIFICATE },
  'tls-too-old': {
    says: 'TLS 1.2 or newer is required',
    means: [
      'The target’s TLS is too old',
      'The target speaks only versions of TLS that are no longer safe.',
      'Switch on TLS 1.2 or newer on the target.',
    ],
  },
  'not-tls': {
    says: 'the other side does not speak TLS',
    means: [
      'The target does not speak TLS',
      'The URL begins with https, but what answers at this port is no TLS.',
      'Use http:// or the port of the TLS service.',
    ],
  },
  'tls-failed': {
    says: 'TLS handshake failed',
    means: [
      'No secure connection was made',
      'The target and the service found no common way to speak TLS.',
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
      'The answer is not HTTP',
      'What answers at this address and port does not speak HTTP.',
      'Check the port in the URL.',
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
      'The proxy in front of this installation says in it who somebody is. A request that reached the installation itself with it could speak for anybody.',
      'Use another header, or ask the operator.',
    ],
  },
  'request-not-http': {
    says: 'the request cannot be written as HTTP',
    means: CANNOT_BE_SENT,
  },
  'url-not-valid': { says: 'the URL is not valid', means: CANNOT_BE_SENT },
  stopping: { says: 'the service is stopping' },
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

/**
 * Finds the code of a run that an early version stored without one, by its message; null if no code has this message.
 */
export function faultOfMessage(message: string | null): FaultCode | null {
  return BY_MESSAGE.get(message ?? '') ?? null;
}

/** Checks a stored code, which another version may have written. */
export function isFaultCode(code: unknown): code is FaultCode {
  return typeof code === 'string' && Object.hasOwn(FAULTS, code);
}

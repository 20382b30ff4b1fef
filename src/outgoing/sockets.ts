import net from 'node:net';
import tls from 'node:tls';

/** Where to connect to: a judged address, and for TLS the name that the certificate must be valid for. */
export interface Endpoint {
  address: string;
  port: number;
  /** The URL's host for https, whatever the `Host` header says; null for plain http. */
  tlsHost: string | null;
}

interface SocketEvents {
  /** The TCP connection is open. A TLS handshake may follow. */
  onConnected(): void;
  onReady(socket: net.Socket): void;
  onFault(error: Error): void;
}

/** One context for all connections: creating it reads every root certificate, which takes milliseconds. */
export function createTlsContext(trusted: readonly string[]): tls.SecureContext {
  const ca = trusted.length === 0 ? {} : { ca: [...tls.getCACertificates(), ...trusted] };
  return tls.createSecureContext({ minVersion: 'TLSv1.2', ...ca });
}

/**
 * Opens a connection to an address, never to a name, so that nothing is looked up a second time. TLS certificates are
 * always verified; the environment cannot switch that off. At most one of `onReady` and `onFault` is called; none if
 * the caller destroys the socket after `removeAllListeners`.
 */
export function openSocket(
  endpoint: Endpoint,
  context: tls.SecureContext,
  events: SocketEvents,
): net.Socket {
  const isTls = endpoint.tlsHost !== null;
  const socket = isTls ? connectTls(endpoint, context) : connectPlain(endpoint);
  const readyEvent = isTls ? 'secureConnect' : 'connect';
  const fail = (error: Error) => {
    settle();
    socket.destroy();
    events.onFault(error);
  };
  const closed = () => fail(new ClosedEarly());
  const ready = () => {
    settle();
    events.onReady(socket);
  };
  const settle = () => socket.off('error', fail).off('close', closed).off(readyEvent, ready);
  // The first listener is never removed: an error without a listener would end the process.
  socket.on('error', ignore).on('error', fail).on('close', closed);
  socket.once('connect', () => events.onConnected());
  socket.once(readyEvent, ready);
  return socket;
}

function connectPlain({ address, port }: Endpoint): net.Socket {
  return net.connect({ host: address, port, family: 4, noDelay: true });
}

function connectTls(
  { address, port, tlsHost }: Endpoint,
  secureContext: tls.SecureContext,
): net.Socket {
  const socket = tls.connect({
    host: address,
    port,
    // An address is not a valid server name (RFC 6066 3). Without one, the certificate is checked against `host`.
    servername: tlsHost === null || net.isIPv4(tlsHost) ? '' : tlsHost,
    secureContext,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  socket.setNoDelay(true);
  return socket;
}

/**
 * The other side closed the connection before it was open. It has a code of its own, because undici would retry for
 * ever after one of its own codes.
 */
class ClosedEarly extends Error {
  readonly code = 'CLOSED_EARLY';
}

function ignore(): void {}

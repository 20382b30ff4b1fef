import net from 'node:net';
import tls from 'node:tls';

/** Where a connection goes: a judged address, and for TLS the name that the certificate must bear. */
export interface Endpoint {
  address: string;
  port: number;
  /** Null for plain http; the URL's host for https, whatever `Host` header is configured. */
  tlsHost: string | null;
}

interface SocketEvents {
  /** The address answered; for TLS the handshake is still to come. */
  onConnected(): void;
  onReady(socket: net.Socket): void;
  onFault(error: Error): void;
}

/** One context for all: making one reads every root certificate, which takes milliseconds. */
export function createTlsContext(trusted: readonly string[]): tls.SecureContext {
  const ca = trusted.length === 0 ? {} : { ca: [...tls.getCACertificates(), ...trusted] };
  return tls.createSecureContext({ minVersion: 'TLSv1.2', ...ca });
}

/**
 * Opens a connection to an address (never a name, so nothing is looked up a second time). TLS is verified
 * in any case: the environment cannot switch it off. At most one of `onReady` and `onFault` follows; both
 * permit away when the caller destroys the socket itself with `removeAllListeners` first.
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
  // The first listener stays: an error of a socket that nobody listens to would end the process.
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
    // An address is no server name (RFC 6066 3): without one, the certificate is held against `host`.
    servername: tlsHost === null || net.isIPv4(tlsHost) ? '' : tlsHost,
    secureContext,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  socket.setNoDelay(true);
  return socket;
}

/** The other side closed the connection before it was open. undici would try codes of its own for ever. */
class ClosedEarly extends Error {
  readonly code = 'CLOSED_EARLY';
}

function ignore(): void {}

import type net from 'node:net';
import tls from 'node:tls';
import type { Clock } from '#domain/base/clock';

const MAX_SESSIONS = 512;
/** A resumed session doesn't verify the certificate again. */
const VERIFIED_MS = 3_600_000;

/** Node's types lack `onread`. */
type ConnectionOptions = tls.ConnectionOptions & Pick<net.TcpNetConnectOpts, 'onread'>;

interface TlsSession {
  bytes: Buffer;
  /** Monotonic milliseconds. */
  verifiedAtMs: number;
}

export type ConnectTls = ReturnType<typeof rememberSessions>;

/** Connects with the target's last session. */
export function rememberSessions(clock: Pick<Clock, 'monotonicMs'>) {
  const sessions = new Map<string, TlsSession>();
  /** If this connection can't be opened, the next one begins with a whole handshake. */
  const take = (target: string): TlsSession | null => {
    const session = sessions.get(target);
    sessions.delete(target);
    if (session === undefined) return null;
    return clock.monotonicMs() - session.verifiedAtMs < VERIFIED_MS ? session : null;
  };
  /** @param target host, port and address */
  return (target: string, options: ConnectionOptions): tls.TLSSocket => {
    const resumed = take(target);
    const socket = tls.connect({ ...options, ...(resumed && { session: resumed.bytes }) });
    let bytes = resumed?.bytes ?? null;
    let verifiedAtMs: number | null = null;
    // Depending on the TLS version, sessions come before or after the certificate is verified.
    const keep = () => {
      if (bytes === null || verifiedAtMs === null) return;
      sessions.set(target, { bytes, verifiedAtMs });
      const [oldest] = sessions.keys();
      if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    };
    socket.on('session', (session) => {
      bytes = session;
      keep();
    });
    socket.once('secureConnect', () => {
      const last = socket.isSessionReused() ? resumed : null;
      verifiedAtMs = last?.verifiedAtMs ?? clock.monotonicMs();
      keep();
    });
    return socket;
  };
}

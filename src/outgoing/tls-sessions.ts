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

export class TlsSessions {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #sessions = new Map<string, TlsSession>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** @param target host, port and address */
  connect(target: string, options: ConnectionOptions): tls.TLSSocket {
    const resumed = this.#take(target);
    const socket = tls.connect({ ...options, ...(resumed && { session: resumed.bytes }) });
    let bytes = resumed?.bytes ?? null;
    let verifiedAtMs: number | null = null;
    // Depending on the TLS version, sessions come before or after the certificate is verified.
    const keep = () => {
      if (bytes !== null && verifiedAtMs !== null) this.#keep(target, { bytes, verifiedAtMs });
    };
    socket.on('session', (session) => {
      bytes = session;
      keep();
    });
    socket.once('secureConnect', () => {
      const last = socket.isSessionReused() ? resumed : null;
      verifiedAtMs = last?.verifiedAtMs ?? this.#clock.monotonicMs();
      keep();
    });
    return socket;
  }

  /** If this connection can't be opened, the next one begins with a whole handshake. */
  #take(target: string): TlsSession | null {
    const session = this.#sessions.get(target);
    this.#sessions.delete(target);
    if (session === undefined) return null;
    return this.#clock.monotonicMs() - session.verifiedAtMs < VERIFIED_MS ? session : null;
  }

  #keep(target: string, session: TlsSession): void {
    this.#sessions.set(target, session);
    if (this.#sessions.size <= MAX_SESSIONS) return;
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined) this.#sessions.delete(oldest);
  }
}

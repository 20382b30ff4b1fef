import type net from 'node:net';
import tls from 'node:tls';
import type { Clock } from '#domain/clock';

/** How many sessions are kept. */
const MAX_SESSIONS = 512;
/** How long a certificate counts as verified, in milliseconds: a resumed session does not verify it again. */
const VERIFIED_MS = 3_600_000;

/** Node's types lack `onread`. */
type ConnectionOptions = tls.ConnectionOptions & Pick<net.TcpNetConnectOpts, 'onread'>;

interface TlsSession {
  bytes: Buffer;
  /** When the certificate was verified, in milliseconds on the monotonic clock. */
  verifiedAtMs: number;
}

/**
 * Opens TLS connections and keeps the last session with each target. Resuming it saves both sides the greater part of a
 * handshake.
 */
export class TlsSessions {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #sessions = new Map<string, TlsSession>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** @param target  the host, port and address that are connected to, as one text */
  connect(target: string, options: ConnectionOptions): tls.TLSSocket {
    const resumed = this.#take(target);
    const socket = tls.connect({ ...options, ...(resumed && { session: resumed.bytes }) });
    let bytes = resumed?.bytes ?? null;
    let verifiedAtMs: number | null = null;
    // Sessions come before or after the certificate is verified, by the version of TLS.
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

  /** Takes it out: if this connection cannot be opened, the next one begins with a whole handshake. */
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

import net from 'node:net';
import tls from 'node:tls';
import type { ServerCertificate } from '#domain/http/certificate';
import { ResponseParser } from './response-parser.ts';
import type { Site } from './target.ts';
import type { ConnectTls } from './tls-sessions.ts';

/** A body of up to this size is written together with the head. */
const SMALL_BODY_BYTES = 16 * 1024;
/** Shared by all sockets: bytes are processed or copied before the next read. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

export interface ConnectionUser {
  /** A TLS handshake may follow. */
  onConnected(): void;
  onReady(): void;
  /** Valid during the call only. */
  onBytes(bytes: Buffer): void;
  /** Null: in good order. */
  onClosed(error: Error | null): void;
}

export interface ConnectionSettings {
  tlsContext: tls.SecureContext;
  connectTls: ConnectTls;
  mayUse(address: string | undefined, port: number | undefined): boolean;
  onClosed(connection: Connection, wasIdle: boolean): void;
}

/** One for all: creating it reads every root certificate, which takes milliseconds. */
export function createTlsContext(trusted: readonly string[]): tls.SecureContext {
  const ca = trusted.length === 0 ? {} : { ca: [...tls.getCACertificates(), ...trusted] };
  return tls.createSecureContext({ minVersion: 'TLSv1.2', ...ca });
}

/**
 * To one judged address, never to a name, so nothing is looked up twice. It has one exchange at a time; unexpected
 * bytes close it.
 */
export class Connection {
  readonly site: Site;
  readonly address: string;
  readonly parser = new ResponseParser();
  /** Monotonic milliseconds. */
  idleUntilMs = 0;
  readonly #settings: ConnectionSettings;
  readonly #socket: net.Socket;
  #user: ConnectionUser | null;
  #isOpen = false;
  #isAsked = false;
  #isIdle = false;
  #isResting = false;
  #isClosed = false;
  #certificate: ServerCertificate | null = null;

  constructor(site: Site, address: string, settings: ConnectionSettings, user: ConnectionUser) {
    this.site = site;
    this.address = address;
    this.#settings = settings;
    this.#user = user;
    const onread = { buffer: READ_BUFFER, callback: (count: number) => this.#read(count) };
    const { tlsHost } = site;
    this.#socket = tlsHost === null ? this.#connect(onread) : this.#connectTls(tlsHost, onread);
    this.#socket.once('connect', () => this.#user?.onConnected());
    this.#socket.once(tlsHost === null ? 'connect' : 'secureConnect', () => this.#open());
    this.#socket.on('error', (error) => this.close(error));
    this.#socket.on('close', () => this.close(this.#isOpen ? null : new ClosedEarly()));
    this.#socket.on('end', () => {
      if (this.#isOpen) this.close(null);
    });
  }

  /** Still true after it is closed. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isIdle(): boolean {
    return this.#isIdle;
  }

  /** Too early for the next request (see `Connections`); `onReady` follows. */
  get isResting(): boolean {
    return this.#isResting;
  }

  take(user: ConnectionUser): void {
    this.#isIdle = false;
    this.#user = user;
  }

  wake(): void {
    this.#isResting = false;
    this.#user?.onReady();
  }

  /** Nothing is ever sent again. */
  send(head: string, body: Uint8Array | null): void {
    this.#isAsked = true;
    this.parser.begin();
    const socket = this.#socket;
    if (body === null) {
      socket.write(head, 'latin1');
    } else if (body.length <= SMALL_BODY_BYTES) {
      const bytes = Buffer.allocUnsafe(head.length + body.length);
      bytes.write(head, 'latin1');
      bytes.set(body, head.length);
      socket.write(bytes);
    } else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body);
      socket.uncork();
    }
  }

  /** Keeps the unparsed input. */
  pause(): void {
    this.parser.keep();
    this.#socket.pause();
  }

  resume(): void {
    if (this.#socket.isPaused()) this.#socket.resume();
  }

  /** Once: later exchanges on this connection find null. */
  takeCertificate(): ServerCertificate | null {
    const certificate = this.#certificate;
    this.#certificate = null;
    return certificate;
  }

  /** The request is sent, and nothing of the response is left over. */
  get isReusable(): boolean {
    return this.parser.isReusable && this.#socket.writableLength === 0;
  }

  release(idleUntilMs: number): void {
    this.idleUntilMs = idleUntilMs;
    this.#user = null;
    this.#isAsked = false;
    this.#isIdle = true;
    this.#isResting = true;
    this.resume();
  }

  /** Without an event. */
  destroy(): void {
    this.#user = null;
    this.close(null);
  }

  #connect(onread: net.OnReadOpts): net.Socket {
    const { address, site } = this;
    return net.connect({ host: address, port: site.port, family: 4, noDelay: true, onread });
  }

  /** Always verifies certificates; the environment can't switch that off. */
  #connectTls(tlsHost: string, onread: net.OnReadOpts): net.Socket {
    const { address, site } = this;
    const { tlsContext, connectTls } = this.#settings;
    const socket = connectTls(`${tlsHost} ${site.port} ${address}`, {
      host: address,
      port: site.port,
      // An address is no valid server name (RFC 6066 3). Without one, the certificate is checked against `host`.
      servername: net.isIPv4(tlsHost) ? '' : tlsHost,
      secureContext: tlsContext,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      onread,
    });
    return socket.setNoDelay(true);
  }

  #open(): void {
    const { remoteAddress, remotePort } = this.#socket;
    if (!this.#settings.mayUse(remoteAddress, remotePort)) return this.close(new BlockedAddress());
    this.#isOpen = true;
    this.#certificate = certificateOf(this.#socket, this.site.host);
    this.#user?.onReady();
  }

  #read(count: number): boolean {
    if (this.#isAsked) this.#user?.onBytes(READ_BUFFER.subarray(0, count));
    else this.close(null);
    return true;
  }

  /** In any state, with an event. */
  close(error: Error | null): void {
    if (this.#isClosed) return;
    const user = this.#user;
    const wasIdle = this.#isIdle;
    this.#isClosed = true;
    this.#isIdle = false;
    this.#user = null;
    this.#socket.destroy();
    this.#settings.onClosed(this, wasIdle);
    user?.onClosed(error);
  }
}

/** Null without a whole handshake: with TLS 1.3 a resumed session has no certificate. Reading it takes about 50 µs. */
function certificateOf(socket: net.Socket, host: string): ServerCertificate | null {
  if (!(socket instanceof tls.TLSSocket) || socket.isSessionReused()) return null;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return null;
  const [startsAt, endsAt] = [certificate.validFromDate, certificate.validToDate].map(Number);
  return { host, startsAt: startsAt ?? 0, endsAt: endsAt ?? 0 };
}

class ClosedEarly extends Error {
  readonly code = 'CLOSED_EARLY';
}

export class BlockedAddress extends Error {}

export class ServiceStopping extends Error {
  readonly code = 'STOPPING';
}

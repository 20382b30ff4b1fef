import type { EventEmitter } from 'node:events';
import type net from 'node:net';
import type tls from 'node:tls';
import { Client, type buildConnector, type Dispatcher } from 'undici';
import { InformationalSkipper } from './informational.ts';
import { openSocket, type Endpoint } from './sockets.ts';

/** How long an idle connection is kept, in milliseconds. The target's own hint can shorten this. */
const IDLE_MS = 4_000;
/** How much earlier than the target's hint a connection is closed, in milliseconds. */
const HINT_MARGIN_MS = 1_000;
/** How many idle connections are kept in all. */
const MAX_IDLE = 512;
/** The limit of a response's headers, in bytes. A target that exceeds it is at fault. */
const MAX_HEADER_BYTES = 64 * 1024;

/** The exchange that uses a connection, as the connection's listener. */
export interface ConnectionUser {
  onConnecting(): void;
  onConnected(): void;
  onReady(): void;
  /** The socket is connected to an address that is not allowed. */
  onBlocked(): void;
  /** The socket has failed. Called before the HTTP parser notices the error. */
  onSocketFault(error: Error): void;
}

interface ConnectionSettings {
  tlsContext: tls.SecureContext;
  mayUse(address: string | undefined, port: number | undefined): boolean;
}

/**
 * One connection to one judged address, used by one exchange at a time. undici's Client speaks HTTP over it, and
 * reopens it by itself if it was closed before a request was written.
 */
export class Connection {
  readonly client: Client;
  readonly key: string;
  readonly endpoint: Endpoint;
  readonly #settings: ConnectionSettings;
  #user: ConnectionUser | null = null;
  #opening: net.Socket | null = null;
  #socket: net.Socket | null = null;
  #skipper: InformationalSkipper | null = null;
  #isResting = false;
  #held: (() => void) | null = null;

  constructor(origin: string, key: string, endpoint: Endpoint, settings: ConnectionSettings) {
    this.key = key;
    this.endpoint = endpoint;
    this.#settings = settings;
    this.client = new Client(origin, {
      connect: (_, callback) => this.#open(callback),
      pipelining: 1,
      allowH2: false,
      // `Attempt` has a timeout of its own for the whole exchange (§2.7).
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      keepAliveTimeoutThreshold: HINT_MARGIN_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    // Client's types do not list this event, but without a listener it would end the process.
    (this.client as EventEmitter).on('error', ignore);
  }

  serve(user: ConnectionUser | null): void {
    this.#user = user;
  }

  /** Sends a request. If the connection is resting, the request waits until it wakes. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    if (this.#isResting) this.#held = () => this.client.dispatch(options, handler);
    else this.client.dispatch(options, handler);
  }

  /**
   * Rests after a response, until the event loop has polled the network once more. Many targets close their end right
   * after the last bytes without announcing it. A request written before that is noticed would be lost, and must not
   * be sent again.
   */
  rest(): void {
    this.#isResting = true;
  }

  wake(): void {
    this.#isResting = false;
    const held = this.#held;
    this.#held = null;
    held?.();
  }

  /** Announces that the first bytes of the request are about to be written. */
  expectAnswer(): void {
    this.#skipper?.expectAnswer();
  }

  /**
   * Writes the next request's `Host` in the case in which it was configured (§2.6): undici writes that header itself,
   * always as `host`. The first write of a request contains its whole head.
   */
  spellHost(name: string): void {
    const socket = this.#socket;
    if (socket === null) return;
    const write = socket.write.bind(socket);
    socket.write = (head: unknown, ...rest: unknown[]): boolean => {
      socket.write = write;
      const spelt = typeof head === 'string' ? head.replace('\r\nhost: ', `\r\n${name}: `) : head;
      return Reflect.apply(write, socket, [spelt, ...rest]);
    };
  }

  /** Closes the connection at once, in any state. */
  destroy(): void {
    this.#held = null;
    this.#opening?.destroy();
    this.client.destroy().catch(ignore);
  }

  #open(callback: buildConnector.Callback): void {
    this.#user?.onConnecting();
    this.#opening = openSocket(this.endpoint, this.#settings.tlsContext, {
      onConnected: () => this.#user?.onConnected(),
      onFault: (error) => {
        this.#opening = null;
        callback(error, null);
      },
      onReady: (socket) => {
        this.#opening = null;
        const { remoteAddress, remotePort } = socket;
        if (this.#settings.mayUse(remoteAddress, remotePort)) return this.#use(socket, callback);
        socket.destroy();
        this.#user?.onBlocked();
        callback(new Error('blocked'), null);
      },
    });
  }

  #use(socket: net.Socket, callback: buildConnector.Callback): void {
    socket.on('error', (error: Error) => this.#user?.onSocketFault(error));
    this.#socket = socket;
    this.#skipper = new InformationalSkipper(socket);
    this.#user?.onReady();
    callback(null, socket);
  }
}

/**
 * Idle connections, kept for further requests to the same origin at the same address. Their number is bounded over
 * all origins.
 */
export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #all = new Set<Connection>();
  readonly #idle = new Map<string, Connection[]>();
  #idleCount = 0;
  /** Connections released since the last turn of the event loop, and (`#rested`) those of the turn before. */
  #resting: Connection[] = [];
  #rested: Connection[] = [];
  #isTurning = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** Returns an idle connection or a new one. A new one is opened when a request is dispatched on it. */
  take(origin: string, endpoint: Endpoint): Connection {
    const key = `${origin} ${endpoint.address}`;
    const waiting = this.#idle.get(key);
    const reused = waiting?.pop();
    if (waiting === undefined || reused === undefined) return this.#create(origin, key, endpoint);
    this.#idleCount--;
    if (waiting.length === 0) this.#idle.delete(key);
    return reused;
  }

  /** Takes back a connection whose response was read to its end. */
  release(connection: Connection): void {
    connection.serve(null);
    if (!this.#all.has(connection)) return;
    this.#letRest(connection);
    const waiting = this.#idle.get(connection.key);
    if (waiting === undefined) this.#idle.set(connection.key, [connection]);
    else waiting.push(connection);
    this.#idleCount++;
    if (this.#idleCount > MAX_IDLE) this.#dropOldest();
  }

  /** Closes a connection that is in use and must not be reused. */
  discard(connection: Connection): void {
    connection.serve(null);
    this.#all.delete(connection);
    connection.destroy();
  }

  closeAll(): void {
    for (const connection of this.#all) connection.destroy();
    this.#all.clear();
    this.#idle.clear();
    this.#idleCount = 0;
  }

  #letRest(connection: Connection): void {
    connection.rest();
    this.#resting.push(connection);
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(() => this.#turn());
  }

  /**
   * Wakes the connections that rested for a whole turn. The event loop polls the network once between two calls, so
   * connections that have just been released wait for the next one.
   */
  #turn(): void {
    const awake = this.#rested;
    this.#rested = this.#resting;
    this.#resting = [];
    for (const connection of awake) connection.wake();
    this.#isTurning = this.#rested.length > 0 || this.#resting.length > 0;
    if (this.#isTurning) setImmediate(() => this.#turn());
  }

  #create(origin: string, key: string, endpoint: Endpoint): Connection {
    const connection = new Connection(origin, key, endpoint, this.#settings);
    this.#all.add(connection);
    connection.client.on('disconnect', () => this.#forgetIdle(connection));
    return connection;
  }

  /** Drops an idle connection that was closed. A connection in use is reopened, or discarded by its user. */
  #forgetIdle(connection: Connection): void {
    const waiting = this.#idle.get(connection.key);
    const place = waiting?.indexOf(connection) ?? -1;
    if (waiting === undefined || place === -1) return;
    waiting.splice(place, 1);
    if (waiting.length === 0) this.#idle.delete(connection.key);
    this.#idleCount--;
    this.discard(connection);
  }

  /**
   * Closes the connection that has been idle longest, of the origin that is first in line, and moves this origin to
   * the end.
   */
  #dropOldest(): void {
    const [entry] = this.#idle;
    if (entry === undefined) return;
    const [key, waiting] = entry;
    const oldest = waiting.shift();
    this.#idle.delete(key);
    if (waiting.length > 0) this.#idle.set(key, waiting);
    if (oldest === undefined) return;
    this.#idleCount--;
    this.discard(oldest);
  }
}

function ignore(): void {}

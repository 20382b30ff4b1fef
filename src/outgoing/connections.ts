import type { EventEmitter } from 'node:events';
import type net from 'node:net';
import type tls from 'node:tls';
import { Client, type buildConnector, type Dispatcher } from 'undici';
import { InformationalSkipper } from './informational.ts';
import { openSocket, type Endpoint } from './sockets.ts';

/** How long a connection is kept for the next request, in milliseconds; a target's own hint shortens it. */
const IDLE_MS = 4_000;
/** How much earlier than a target's hint a connection is given up, in milliseconds. */
const HINT_MARGIN_MS = 1_000;
/** How many connections are kept in all without being used. */
const MAX_IDLE = 512;
/** Response headers larger than this, in bytes, are a fault of the target. */
const MAX_HEADER_BYTES = 64 * 1024;

/** The exchange that a connection serves, as far as the connection has something to tell it. */
export interface ConnectionUser {
  onConnecting(): void;
  onConnected(): void;
  onReady(): void;
  /** The socket was found connected to an address that may not be reached. */
  onBlocked(): void;
  /** An error of the socket, told before the HTTP parser learns of it. */
  onSocketFault(error: Error): void;
}

interface ConnectionSettings {
  tlsContext: tls.SecureContext;
  mayUse(address: string | undefined, port: number | undefined): boolean;
}

/**
 * One connection to one judged address, used by one exchange at a time. undici's Client speaks HTTP over it,
 * and opens it again by itself where it was closed before a request was written.
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
      // The whole attempt has its own timeout (§2.7).
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      keepAliveTimeoutThreshold: HINT_MARGIN_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    // Its types leave this event out, but an unheard one would end the process.
    (this.client as EventEmitter).on('error', ignore);
  }

  serve(user: ConnectionUser | null): void {
    this.#user = user;
  }

  /** Sends a request, once the connection has rested. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    if (this.#isResting) this.#held = () => this.client.dispatch(options, handler);
    else this.client.dispatch(options, handler);
  }

  /**
   * A connection rests behind an answer until the event loop has looked at the network once more. Many a
   * target closes its end together with its last bytes, without saying so; a request written before that
   * was noticed would be lost, and may not be sent again.
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

  /** Tells that the request's first bytes are about to be written. */
  expectAnswer(): void {
    this.#skipper?.expectAnswer();
  }

  /**
   * Lets the next request's `Host` go out with the case in which it was configured (§2.6): undici, which
   * writes that header itself, knows only `host`. The first write of a request is its whole head.
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

  /** Closes the connection at once, whatever it is doing. */
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

/** Connections that wait for another request to the same origin at the same address; bounded over all origins. */
export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #all = new Set<Connection>();
  readonly #idle = new Map<string, Connection[]>();
  #idleCount = 0;
  /** Released since the last turn of the event loop, and in the one before. */
  #resting: Connection[] = [];
  #rested: Connection[] = [];
  #isTurning = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** A connection for one request, used before or new; it is opened when a request is dispatched on it. */
  take(origin: string, endpoint: Endpoint): Connection {
    const key = `${origin} ${endpoint.address}`;
    const waiting = this.#idle.get(key);
    const reused = waiting?.pop();
    if (waiting === undefined || reused === undefined) return this.#create(origin, key, endpoint);
    this.#idleCount--;
    if (waiting.length === 0) this.#idle.delete(key);
    return reused;
  }

  /** Takes a connection back whose answer was read to its end. */
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

  /** Closes a connection that is in use and will not be used again. */
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

  /** Between two of these lies one look at the network; what is only resting now has that before it. */
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

  /** Forgets a connection that was closed while it waited; one in use is opened again or discarded by its user. */
  #forgetIdle(connection: Connection): void {
    const waiting = this.#idle.get(connection.key);
    const place = waiting?.indexOf(connection) ?? -1;
    if (waiting === undefined || place === -1) return;
    waiting.splice(place, 1);
    if (waiting.length === 0) this.#idle.delete(connection.key);
    this.#idleCount--;
    this.discard(connection);
  }

  /** The connection used longest ago of the origin that has waited longest; its origin then waits anew. */
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

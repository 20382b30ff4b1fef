import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Inbox, type WaitLimit } from './inbox.ts';
import { WAIT_LIMIT_MS } from './limits.ts';
import { withinTime } from './wait.ts';

export interface RawConnection {
  /** Exactly, from the start. */
  readonly received: Buffer;
  /** Settles when the connection has ended, from either side, in whatever way. */
  readonly closed: Promise<void>;
  /** Default: the end of a request's head. */
  until(part?: string | Uint8Array): Promise<Buffer>;
  untilBytes(count: number): Promise<Buffer>;
  send(bytes: string | Uint8Array): Promise<void>;
  /** Sends a few bytes at a time, with a pause after each. */
  drip(bytes: string | Uint8Array, pace: { everyMs: number; size?: number }): Promise<void>;
  /** Ends the sending side; data that arrives is still read. */
  end(): void;
  /** Breaks the connection (TCP RST). */
  reset(): void;
}

/** What to do with a connection. When it returns, the connection stays as it is: end it if it should end. */
type RawScript = (connection: RawConnection, index: number) => unknown;

export interface RawReceiver extends AsyncDisposable {
  /** `http://127.0.0.1:…`, without a slash at its end. */
  url: string;
  port: number;
  connections: readonly RawConnection[];
  next(
    isWanted?: (connection: RawConnection) => boolean,
    limit?: WaitLimit,
  ): Promise<RawConnection>;
  waitFor(count: number, limit?: WaitLimit): Promise<RawConnection[]>;
  close(): Promise<void>;
}

/**
 * A TCP server on loopback that does exactly what `script` says.
 *
 * @param script  a function, or the bytes to answer once the head of a request is there, then end
 */
export async function startRawReceiver(
  script: RawScript | string | Uint8Array,
): Promise<RawReceiver> {
  const act = typeof script === 'function' ? script : answerOnce(script);
  const inbox = new Inbox<RawConnection>(
    'connections',
    ({ received }) => `${received.length} bytes`,
  );
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    const connection = connectionOf(socket);
    const index = inbox.items.length;
    inbox.add(connection);
    void follow(act, connection, index);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const close = async () => {
    if (!server.listening) return;
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: inbox.items,
    next: (isWanted, limit) => inbox.next(isWanted, limit),
    waitFor: (count, limit) => inbox.waitFor(count, limit),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function answerOnce(bytes: string | Uint8Array): RawScript {
  return async (connection) => {
    await connection.until();
    await connection.send(bytes);
    connection.end();
  };
}

/** Runs a script. If it waits for data that never came, that matters only while its connection lasts. */
async function follow(act: RawScript, connection: RawConnection, index: number): Promise<void> {
  try {
    await act(connection, index);
  } catch {
    connection.reset();
  }
}

function connectionOf(socket: net.Socket): RawConnection {
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks);
  const closed = Promise.withResolvers<void>();
  const watchers = new Set<() => void>();
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.on('close', () => closed.resolve());
  for (const event of ['data', 'end', 'close'])
    socket.on(event, () => {
      for (const watch of watchers) watch();
    });

  const wait = async (isThere: () => boolean, what: string): Promise<Buffer> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const watch = () => {
      if (isThere()) resolve();
      else if (socket.destroyed || socket.readableEnded)
        reject(new Error(`the connection ended before ${what}`));
    };
    watchers.add(watch);
    watch();
    try {
      await withinTime(promise, WAIT_LIMIT_MS, () => what);
    } finally {
      watchers.delete(watch);
    }
    return received();
  };

  const send = async (bytes: string | Uint8Array): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.write(bytes, () => resolve());
    await Promise.race([promise, closed.promise]);
  };

  return {
    get received() {
      return received();
    },
    closed: closed.promise,
    until: (part = '\r\n\r\n') =>
      wait(() => received().includes(part), JSON.stringify(String(part))),
    untilBytes: (count) => wait(() => received().length >= count, `${count} bytes`),
    send,
    drip: async (bytes, { everyMs, size = 1 }) => {
      const all = Buffer.from(bytes);
      for (let at = 0; at < all.length && !socket.destroyed; at += size) {
        await send(all.subarray(at, at + size));
        await delay(everyMs, undefined, { ref: false });
      }
    },
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
  };
}

import { once } from 'node:events';
import net from 'node:net';

/** A TCP proxy to a server of this machine that can drop what it carries. */
interface TcpProxy extends AsyncDisposable {
  port: number;
  /** From now on open connections carry nothing more and stay open; later ones carry everything. */
  fallSilent(): void;
  /** How many of the silent connections a Postgres client has sent something over since, beside its goodbye. */
  countAskedInVain(): number;
  /** The next connection that carries `text` to the server carries nothing back from then on. */
  swallowAnswerTo(text: string): void;
  /** Connections that carry `text` to the server are cut before it arrives there; null lets it pass again. */
  cutBefore(text: string | null): void;
  /** Cuts all connections and carries later ones to another server. */
  turnTo(port: number): void;
}

interface Carried {
  client: net.Socket;
  server: net.Socket;
}

/** The first byte of the message with which a Postgres client ends a connection. */
const TERMINATE = 'X'.charCodeAt(0);

/**
 * @param port  of a server on 127.0.0.1
 * @param ownPort  where the proxy listens; 0 for any free port
 */
export async function startTcpProxy(port: number, ownPort = 0): Promise<TcpProxy> {
  const open = new Set<Carried>();
  const askedInVain = new Set<Carried>();
  let swallowed: string | null = null;
  let forbidden: string | null = null;
  let current = port;
  const proxy = net.createServer((client) => {
    const server = net.connect(current, '127.0.0.1');
    const carried = { client, server };
    open.add(carried);
    const end = () => {
      open.delete(carried);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    client.on('data', (chunk: Buffer) => {
      if (forbidden !== null && chunk.includes(forbidden)) return end();
      if (swallowed === null || !chunk.includes(swallowed)) return;
      swallowed = null;
      server.unpipe(client).resume();
    });
    client.pipe(server);
    server.pipe(client);
  });
  const cut = () => {
    for (const { client, server } of open) {
      client.destroy();
      server.destroy();
    }
  };
  proxy.listen(ownPort, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as net.AddressInfo).port,
    fallSilent: () => {
      for (const carried of open) {
        const { client, server } = carried;
        server.unpipe(client).resume();
        client.unpipe(server).resume();
        client.on('data', (chunk: Buffer) => {
          if (chunk[0] !== TERMINATE) askedInVain.add(carried);
        });
      }
    },
    countAskedInVain: () => askedInVain.size,
    swallowAnswerTo: (text) => {
      swallowed = text;
    },
    cutBefore: (text) => {
      forbidden = text;
    },
    turnTo: (next) => {
      current = next;
      cut();
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

import { once } from 'node:events';
import net from 'node:net';
import { MessageReader } from './faults/postgres-messages.ts';

/**
 * A stand-in for a pooler by transaction: each client has two connections to a Postgres server that asks for no
 * password, and after each transaction its messages go to the other one.
 *
 * @param port  of the server on 127.0.0.1
 */
export async function startRotatingPooler(
  port: number,
): Promise<{ port: number } & AsyncDisposable> {
  const sockets = new Set<net.Socket>();
  const pooler = net.createServer((client) => {
    const servers = [net.connect(port, '127.0.0.1'), net.connect(port, '127.0.0.1')] as const;
    const all = [client, ...servers];
    const end = () => {
      for (const socket of all) socket.destroy();
    };
    for (const socket of all) sockets.add(socket.on('error', end).on('close', end));
    let current = 0;
    let hasStarted = false;
    client.on('data', (bytes: Buffer) => {
      // The first message opens a session, and is for both.
      if (hasStarted) servers[current]?.write(bytes);
      else for (const server of servers) server.write(bytes);
      hasStarted = true;
    });
    for (const [at, server] of servers.entries()) {
      const reader = new MessageReader(false);
      // The client gets the answer to its first message only once.
      let isForwarded = at === 0;
      server.on('data', (bytes: Buffer) => {
        for (const message of reader.read(bytes)) {
          if (isForwarded) client.write(message.bytes);
          // ReadyForQuery outside of a transaction.
          if (message.type !== 'Z' || message.bytes.toString('latin1', 5, 6) !== 'I') continue;
          if (isForwarded) current = 1 - at;
          isForwarded = true;
        }
      });
    }
  });
  pooler.listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  return {
    port: (pooler.address() as net.AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      pooler.close();
      await once(pooler, 'close');
    },
  };
}

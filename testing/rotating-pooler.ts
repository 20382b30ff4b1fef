import { once } from 'node:events';
import net from 'node:net';

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
      const read = createMessageReader();
      // The client gets the answer to its first message only once.
      let isHeard = at === 0;
      server.on('data', (bytes: Buffer) => {
        for (const message of read(bytes)) {
          if (isHeard) client.write(message);
          if (!endsTransaction(message)) continue;
          if (isHeard) current = 1 - at;
          isHeard = true;
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

/** Splits what a server sends into messages: type, length, content. */
function createMessageReader(): (bytes: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const messages: Buffer[] = [];
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const length = 1 + rest.readInt32BE(1);
      messages.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    return messages;
  };
}

/** Whether a message is ReadyForQuery outside of a transaction. */
function endsTransaction(message: Buffer): boolean {
  return message.toString('latin1', 0, 1) === 'Z' && message.toString('latin1', 5, 6) === 'I';
}

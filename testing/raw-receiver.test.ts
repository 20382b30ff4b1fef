import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { startRawReceiver } from './raw-receiver.ts';

async function readAll(socket: net.Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString('latin1');
  return text;
}

test('bytes are recorded and answered exactly', async () => {
  await using receiver = await startRawReceiver('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  const socket = net.connect(receiver.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\n');
  socket.write('x: \xff\r\n\r\n', 'latin1');
  assert.equal(await readAll(socket), 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  socket.end();
  const [connection] = await receiver.waitFor(1);
  assert.equal(connection?.received.toString('latin1'), 'GET / HTTP/1.1\r\nx: \xff\r\n\r\n');
  await connection?.closed;
});

test('a script can drip, stall and reset', async () => {
  await using receiver = await startRawReceiver(async (connection, index) => {
    await connection.untilBytes(1);
    if (index === 0) connection.reset();
    else await connection.drip('abcdef', { everyMs: 2, size: 2 });
  });
  const first = net.connect(receiver.port, '127.0.0.1');
  first.write('x');
  const [error] = (await once(first, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNRESET');
  const second = net.connect(receiver.port, '127.0.0.1');
  second.write('x');
  const chunks: string[] = [];
  second.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  while (chunks.join('').length < 6) await once(second, 'data');
  assert.ok(chunks.length > 1, 'it came in several pieces');
  assert.equal(second.readableEnded, false);
  second.destroy();
});

test('waiting for bytes that cannot come any more fails at once', async () => {
  const failed = Promise.withResolvers<unknown>();
  await using receiver = await startRawReceiver((connection) => {
    connection.until('never sent').catch(failed.resolve);
  });
  net.connect(receiver.port, '127.0.0.1').end('something else');
  assert.match(String(await failed.promise), /connection ended before "never sent"/);
});

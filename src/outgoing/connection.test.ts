import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { startRawReceiver } from '#testing/raw-receiver';
import { BlockedAddress, Connection, createTlsContext } from './connection.ts';
import { Targets } from './target.ts';
import { rememberSessions } from './tls-sessions.ts';

test('a connection to an address that may not be used is closed before anything is sent', async () => {
  await using receiver = await startRawReceiver(() => {});
  const { site } = new Targets().read(receiver.url) ?? assert.fail('the URL can be read');
  const asked: unknown[] = [];
  const closed = Promise.withResolvers<Error | null>();
  const settings = {
    tlsContext: createTlsContext([]),
    connectTls: rememberSessions(new FakeClock(0)),
    mayUse: (address?: string, port?: number) => {
      asked.push(address, port);
      return false;
    },
    onClosed: () => {},
  };
  const connection = new Connection(site, '127.0.0.1', settings, {
    onConnected: () => {},
    onReady: () => connection.send('GET / HTTP/1.1\r\n\r\n', null),
    onBytes: () => {},
    onClosed: closed.resolve,
  });
  const seen = await receiver.next();
  await assert.rejects(seen.until(), /ended/);
  assert.ok((await closed.promise) instanceof BlockedAddress);
  assert.deepEqual(asked, ['127.0.0.1', receiver.port]);
  assert.equal(seen.received.length, 0);
});

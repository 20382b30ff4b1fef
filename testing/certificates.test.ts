import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import tls from 'node:tls';
import { createAuthority, createSelfSigned, expired } from './certificates.ts';
import { ONLY_TLS_1_1, startTlsReceiver } from './receiver.ts';

async function connect(port: number, options: tls.ConnectionOptions): Promise<string> {
  const socket = tls.connect({ port, host: '127.0.0.1', servername: 'localhost', ...options });
  try {
    await once(socket, 'secureConnect');
    return socket.getProtocol() ?? 'none';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    socket.destroy();
  }
}

test('certificates are valid, expired, for another host, or of an untrusted authority', async () => {
  const authority = await createAuthority();
  const outcome = async (credentials: { cert: string; key: string }) => {
    await using receiver = await startTlsReceiver({ tls: credentials });
    return await connect(receiver.port, { ca: authority.cert });
  };
  assert.equal(await outcome(await authority.issue()), 'TLSv1.3');
  assert.equal(await outcome(await authority.issue(expired())), 'CERT_HAS_EXPIRED');
  assert.equal(
    await outcome(await authority.issue({ hosts: ['elsewhere.test'] })),
    'ERR_TLS_CERT_ALTNAME_INVALID',
  );
  assert.equal(await outcome(await createSelfSigned()), 'DEPTH_ZERO_SELF_SIGNED_CERT');
});

test('a receiver can be limited to TLS 1.1', async () => {
  const authority = await createAuthority();
  await using receiver = await startTlsReceiver({
    tls: { ...(await authority.issue()), ...ONLY_TLS_1_1 },
  });
  assert.equal(await connect(receiver.port, { ca: authority.cert, ...ONLY_TLS_1_1 }), 'TLSv1.1');
  assert.match(
    await connect(receiver.port, { ca: authority.cert, minVersion: 'TLSv1.2' }),
    /^(ERR_SSL|ECONNRESET|EPROTO)/,
  );
});

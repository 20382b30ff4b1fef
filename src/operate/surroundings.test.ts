import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createServer } from 'node:tls';
import { createSelfSigned } from '#testing/certificates';
import { examineCertificate, judgeDashboard } from './surroundings.ts';

for (const host of ['localhost', '127.0.0.1', '[::1]']) {
  test(`the certificate of https://${host} is read`, async () => {
    const server = createServer(await createSelfSigned());
    server.listen(0, host.replace(/[[\]]/g, ''));
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const finding = await examineCertificate({ baseUrl: `https://${host}:${port}` });
      assert.equal(finding?.status, 'ok');
      assert.match(finding.message, /expires in 36\d days/);
    } finally {
      server.close();
    }
  });
}

test('a dashboard that is not built is warned of, unless the process only sends', () => {
  const of = (role: 'all' | 'engine', isBuilt: boolean) => judgeDashboard({ role }, isBuilt);
  assert.deepEqual(of('all', true), { check: 'dashboard', status: 'ok', message: 'it is built' });
  const missing = of('all', false);
  assert.equal(missing?.status, 'warn');
  assert.match(missing.message, /npm start or npm run build/);
  assert.equal(of('engine', false), null);
});

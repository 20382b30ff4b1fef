import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { createServer } from 'node:tls';
import { createSelfSigned } from '#testing/certificates';
import { makeFolder } from '#testing/guard';
import { examineBackups, examineCertificate, judgeDashboard } from './surroundings.ts';

for (const host of ['localhost', '[::1]']) {
  test(`the certificate of https://${host} is read`, async () => {
    await using server = createServer(await createSelfSigned());
    server.listen(0, host.replace(/[[\]]/g, ''));
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const finding = await examineCertificate({ baseUrl: `https://${host}:${port}` });
    assert.equal(finding?.status, 'ok');
    assert.match(finding.message, /expires in 36\d days/);
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

test('a copy from the future does not hide that the newest backup is late', () => {
  const folder = makeFolder();
  for (const name of ['belfry-2099-01-01T000000Z.db', 'belfry-2026-11-21T120000Z.db'])
    fs.writeFileSync(path.join(folder, name), '');
  const database = { kind: 'sqlite', path: path.join(folder, 'belfry.db') } as const;
  const config = { database, backups: { folder, everyHours: 24, keep: 7 } };
  const finding = examineBackups(config, Date.parse('2026-11-24T00:00:00Z'));
  assert.equal(finding?.status, 'warn');
  assert.match(finding.message, /^2 in .*, the newest of 2026-11-21T12:00:00/);
});

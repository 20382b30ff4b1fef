/** If the service can't start, it prints one line with the fix, and ends with an exit code. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { freePort } from '#testing/free-port';
import { createMigratedDatabase } from '#testing/migrated';
import { eventually, launchBelfry, makeSqliteUrl } from '#testing/process';
import { openRows } from '#testing/rows';
import { startTcpProxy } from '#testing/tcp-proxy';

/** How a start ended that was to fail. */
async function failedStart(options: Parameters<typeof launchBelfry>[0]) {
  const belfry = launchBelfry(options);
  const code = await belfry.exited;
  await belfry.closed;
  return { code, output: belfry.output };
}

describe('a start that fails', () => {
  test('a start with wrong or misspelt settings exits with 2 and one line per setting', async () => {
    const env = { PORT: undefined, PROT: '4000', SIGN_UP: 'maybe' };
    const { code, output } = await failedStart({ env });
    assert.equal(code, 2);
    const misspelt = 'belfry: PROT: there is no such setting; write PORT, or unset PROT.';
    assert.ok(output.includes(misspelt), output.join('\n'));
    assert.ok(output.some((line) => /^belfry: SIGN_UP: .*one of: invite, open/.test(line)));
    assert.equal(output.length, 2, output.join('\n'));
  });

  test('a start on a used port exits with 1 and names the settings to change', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { code, output } = await failedStart({ env: { PORT: String(port), LOG_LEVEL: 'warn' } });
    taken.close();
    assert.equal(code, 1);
    assert.deepEqual(output, [
      `belfry: Cannot listen on 127.0.0.1 port ${port} (EADDRINUSE): choose another HOST or PORT.`,
    ]);
  });

  test('a start on a newer database exits with 1, changes nothing and names the version to start', async () => {
    const databaseUrl = await makeSqliteUrl();
    using file = new DatabaseSync(databaseUrl.slice('sqlite:'.length));
    file.exec("insert into migrations values ('9999-later', 0)");
    const countTables = () =>
      file.prepare("select count(*) as n from sqlite_schema where type = 'table'").get()?.['n'];
    const before = countTables();
    const { code, output } = await failedStart({ databaseUrl });
    assert.equal(code, 1);
    assert.deepEqual(output, [
      'belfry: the database was made by a newer version of Belfry; start that version or restore a backup',
    ]);
    assert.equal(countTables(), before);
  });
});

describe('a start while Postgres is away', () => {
  /** The address of the same database behind another port. */
  const through = (url: string, port: number) =>
    Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href;

  test('a start waits for Postgres, alive and not ready, and then serves', async () => {
    await using database = await createMigratedDatabase();
    const [port, databasePort] = [await freePort(), await freePort()];
    const databaseUrl = through(database.url, databasePort);
    const belfry = launchBelfry({ databaseUrl, env: { PORT: String(port) } });
    const line = await belfry.line(/"database\.awaited"/, 60_000);
    assert.match(line, /Postgres cannot be reached .*ECONNREFUSED.*; check that it runs/);
    const statusOf = async (page: string) =>
      (await fetch(`http://127.0.0.1:${port}${page}`).catch(() => null))?.status;
    await eventually(async () => (await statusOf('/healthz')) === 200);
    assert.equal(await statusOf('/readyz'), 503);
    await using _proxy = await startTcpProxy(Number(new URL(database.url).port), databasePort);
    await belfry.line(/belfry is ready at/, 60_000);
    assert.equal(await statusOf('/readyz'), 200);
    assert.equal(await belfry.stop(), 0);
    assert.equal(belfry.output.filter((text) => text.includes('database.awaited')).length, 1);
  });

  test('a start that waits for Postgres exits with 0 on SIGTERM', async () => {
    const belfry = launchBelfry({ databaseUrl: `postgres://x@127.0.0.1:${await freePort()}/x` });
    await belfry.line(/"database\.awaited"/, 60_000);
    assert.equal(await belfry.stop(), 0);
  });
});

test('SIGTERM during a start ends it early, cleanly and with 0', async () => {
  await using database = await createMigratedDatabase();
  await using holder = await openRows(database.url);
  // The engine joins at the end of a start.
  await holder.all('begin; lock table nodes in access exclusive mode');
  const port = await freePort();
  const belfry = launchBelfry({ databaseUrl: database.url, env: { PORT: String(port) } });
  await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    return (await answer?.text()) === '{"status":"starting"}';
  });
  belfry.signal('SIGTERM');
  await belfry.line(/stop\.asked/);
  await holder.all('rollback');
  assert.equal(await belfry.exited, 0, belfry.output.join('\n'));
  await belfry.closed;
  assert.doesNotMatch(belfry.output.join('\n'), /failed|belfry is ready/);
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test } from 'node:test';
import pg from 'pg';
import { createDatabase } from '#testing/postgres';
import { openPool, POOLS } from './open.ts';

const silent = () => {};

function open(url: string, use: keyof typeof POOLS) {
  return openPool({ url, onFault: silent }, POOLS[use]);
}

describe('a connection to Postgres', () => {
  test("a connection's start options are accepted by poolers", async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const arrived = readStartup(server);
    const { port } = server.address() as net.AddressInfo;
    const database = open(`postgres://belfry@127.0.0.1:${port}/belfry`, 'main');
    await assert.rejects(database.autocommit('select 1'));
    // The settings that PgBouncer tracks for each client. It refuses a connection that sends any other.
    const accepted = new Set(['user', 'database', 'client_encoding', 'application_name']);
    assert.deepEqual(
      (await arrived).filter((name) => !accepted.has(name)),
      [],
    );
    await database.close();
    server.close();
  });

  test('a connection of the engine keeps plans, except where Citus is installed, which needs the values', async () => {
    await using own = await createDatabase();
    const mode = async (use: keyof typeof POOLS) => {
      const database = open(own.url, use);
      const [row] = await database.autocommit('show plan_cache_mode');
      await database.close();
      return Object.values(row as object)[0];
    };
    assert.deepEqual([await mode('engine'), await mode('main')], ['force_generic_plan', 'auto']);
    // The extension itself is not there to be installed; its row in the catalogue is what counts.
    await ask(
      own.url,
      `insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
        select 99999, 'citus', extowner, extnamespace, false, '13.2' from pg_extension limit 1`,
    );
    assert.deepEqual([await mode('engine'), await mode('main')], ['auto', 'auto']);
  });

  test('a connection uses its own limits and plan settings', async () => {
    await using own = await createDatabase();
    await ask(
      own.url,
      `do $$ begin execute format('alter database %I set default_transaction_isolation = serializable', current_database()); end $$`,
    );
    for (const [use, statements, locks, readOnly] of [
      ['main', '6s', '5s', 'off'],
      ['engine', '6s', '5s', 'off'],
      ['lease', '4s', '3s', 'off'],
      ['searches', '25s', '5s', 'on'],
      ['migrations', '0', '0', 'off'],
    ] as const) {
      const database = open(own.url, use);
      const show = async (name: string) =>
        Object.values((await database.autocommit(`show ${name}`))[0] as object)[0];
      assert.equal(await show('application_name'), `belfry ${use}`);
      assert.equal(await show('default_transaction_isolation'), 'read committed');
      assert.equal(await show('default_transaction_read_only'), readOnly);
      assert.equal(await show('statement_timeout'), statements);
      assert.equal(await show('lock_timeout'), locks);
      assert.equal(await show('idle_in_transaction_session_timeout'), '10s');
      assert.equal(await show('enable_seqscan'), 'off');
      await database.close();
    }
  });
});

/** The names of the settings in the first message of the first connection, which is then cut off. */
async function readStartup(server: net.Server): Promise<string[]> {
  const [socket] = (await once(server, 'connection')) as [net.Socket];
  socket.on('error', silent);
  const [message] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  // Length and version of the protocol, then names and values in turn, each ended by a zero.
  const texts = message.subarray(8).toString('latin1').split('\0');
  return texts.filter((text, n) => n % 2 === 0 && text !== '');
}

async function ask(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

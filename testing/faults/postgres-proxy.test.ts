import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import { createDatabase } from '#testing/postgres';
import { eventually } from '#testing/process';
import { makeGate } from '#testing/scheduling';
import { startPostgresProxy } from './postgres-proxy.ts';

async function connect(connectionString: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end().catch(() => {}) });
}

async function prepare() {
  const database = await createDatabase();
  const proxy = await startPostgresProxy(database.url);
  const direct = await connect(database.url);
  await direct.query('create table lines (text text)');
  const texts = async () =>
    (await direct.query<{ text: string }>('select text from lines')).rows.map(({ text }) => text);
  return {
    proxy,
    texts,
    [Symbol.asyncDispose]: async () => {
      await direct.end();
      await proxy[Symbol.asyncDispose]();
      await database.drop();
    },
  };
}

const INSERT = 'insert into lines (text) values ($1)';

describe('the way to a Postgres', () => {
  test('the proxy can lose only the answer to a committed transaction', async () => {
    await using scene = await prepare();
    await using client = await connect(scene.proxy.url);
    await client.query(INSERT, ['before']);
    let writes = 0;
    scene.proxy.decideFates(() => (++writes === 2 ? 'answer-lost' : 'carried'));
    await client.query({ name: 'insert', text: INSERT, values: ['kept'] });
    assert.equal((await client.query('select 1')).rowCount, 1, 'reading is no write');
    await client.query('begin');
    await client.query({ name: 'insert', text: INSERT, values: ['lost'] });
    await assert.rejects(client.query('commit'));
    assert.deepEqual(await scene.texts(), ['before', 'kept', 'lost']);
    assert.deepEqual(scene.proxy.lost, [[INSERT]]);
  });

  test('the proxy can lose a commit', async () => {
    await using scene = await prepare();
    await using client = await connect(scene.proxy.url);
    scene.proxy.decideFates(() => 'commit-lost');
    await client.query('begin');
    await client.query(INSERT, ['lost']);
    await assert.rejects(client.query('commit'));
    await using other = await connect(scene.proxy.url);
    await assert.rejects(other.query(INSERT, ['lost too']));
    assert.deepEqual(await scene.texts(), []);
  });

  test('the proxy can be silent, refuse, be full and cut connections', async () => {
    await using scene = await prepare();
    const { proxy } = scene;
    await using client = await connect(proxy.url);
    proxy.switchTo('silent');
    const slow = client.query(INSERT, ['late']);
    const waiting = connect(proxy.url);
    await assert.rejects(waiting, /timeout/);
    assert.deepEqual(await scene.texts(), []);
    (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    await assert.rejects(slow);
    proxy.switchTo('carries');
    await eventually(async () => (await scene.texts())[0] === 'late', {
      what: 'what its client has given up',
    });
    await using again = await connect(proxy.url);
    proxy.switchTo('refuses');
    await assert.rejects(connect(proxy.url), /ECONNRESET|terminated/);
    assert.equal((await again.query('select 1')).rowCount, 1, 'what is open stays');
    proxy.switchTo('full');
    await assert.rejects(connect(proxy.url), { code: '53300' });
    proxy.cut();
    await assert.rejects(again.query('select 1'));
  });

  test('the proxy can delay answers to statements with a text', async () => {
    await using scene = await prepare();
    await using client = await connect(scene.proxy.url);
    await using other = await connect(scene.proxy.url);
    const gate = makeGate();
    const delayed = scene.proxy.delayAnswersTo('needle', 1, gate.opened);
    let isAnswered = false;
    const slow = client.query('select $1::text', ['a needle']).then(() => (isAnswered = true));
    await delayed;
    assert.equal((await other.query('select $1::text', ['hay'])).rowCount, 1);
    assert.equal(isAnswered, false);
    gate.open();
    await slow;
  });
});

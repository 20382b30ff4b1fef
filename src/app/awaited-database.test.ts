import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#demo/fake-clock';
import { silentLog } from '#domain/base/log';
import { isServerAway, StoreError } from '#store/database/errors';
import { openWhenThere } from './awaited-database.ts';

const faultOf = (fields: object) =>
  StoreError.fromConnecting(Object.assign(new Error('no answer'), fields));

test('the wait for a server is logged once a minute', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const lines: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void lines.push(event) };
  let tries = 0;
  const open = async () => {
    if (++tries < 150) throw faultOf({ code: 'ECONNREFUSED' });
    return 'open';
  };
  const opened = openWhenThere(open, { clock, log, onAway: async () => {} });
  for (let second = 0; second < 150; second++) await clock.advance(1_000);
  assert.equal(await opened, 'open');
  assert.deepEqual(lines, Array<string>(3).fill('database.awaited'));
});

test('a refusal of the server ends the wait', async () => {
  const clock = new FakeClock(0);
  const open = async () => {
    throw faultOf({ code: '28P01' });
  };
  const opened = openWhenThere(open, { clock, log: silentLog, onAway: async () => {} });
  await assert.rejects(opened, { code: 'STORE_UNAVAILABLE' });
});

test('a server counts as away if it can’t be reached, starts, stops or is full', () => {
  const away = [
    { code: 'ECONNREFUSED' },
    { code: '57P03' },
    { code: '53300' },
    { code: 'ENOENT', syscall: 'connect' },
    {}, // a timeout of node-postgres
  ];
  for (const fields of away) {
    const fault = StoreError.fromConnecting(
      Object.assign(new Error('Connection terminated'), fields),
    );
    assert.equal(isServerAway(fault), true, JSON.stringify(fields));
    const explained = new StoreError(fault.code, 'Postgres cannot be reached', { cause: fault });
    assert.equal(isServerAway(explained), true, JSON.stringify(fields));
  }
  for (const code of ['28P01', '3D000', '25006', '53100', 'ENOTFOUND', '42501', 'XX000']) {
    assert.equal(isServerAway(faultOf({ code })), false, code);
  }
  for (const message of ['SASL: client password must be a string', 'it does not support SSL'])
    assert.equal(isServerAway(StoreError.fromConnecting(new Error(message))), false, message);
  assert.equal(isServerAway(new Error('other')), false);
});

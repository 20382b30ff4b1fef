import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { loadAppKey } from './app-key.ts';
import { StoreError } from './database/errors.ts';

const run = promisify(execFile);

describe('the installation key', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'belfry-key-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });
  const beside = () => ({
    appKey: null,
    database: { kind: 'sqlite', path: join(directory, 'data', 'belfry.db') } as const,
  });
  const namesKeyFile = (fault: unknown) =>
    fault instanceof StoreError && fault.message.includes(keyFile());
  const keyFile = () => join(directory, 'data', 'app.key');

  test('the key is made once next to a SQLite database, readable by its owner only', () => {
    const key = loadAppKey(beside());
    assert.equal(key.length, 32);
    assert.deepEqual(loadAppKey(beside()), key);
    assert.equal(readFileSync(keyFile(), 'utf8'), `${key.toString('base64')}\n`);
    assert.equal(statSync(keyFile()).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(directory, 'data')), ['app.key'], 'no draft stays behind');
  });

  test('processes that start at the same moment get the same key', async () => {
    const script = `
      import { loadAppKey } from ${JSON.stringify(new URL('./app-key.ts', import.meta.url).href)};
      process.stdout.write(loadAppKey(${JSON.stringify(beside())}).toString('hex'));`;
    const starts = Array.from({ length: 4 }, () =>
      run(process.execPath, ['--input-type=module', '--eval', script]),
    );
    const keys = (await Promise.all(starts)).map(({ stdout }) => stdout);
    assert.equal(new Set(keys).size, 1);
    assert.match(keys[0] ?? '', /^[0-9a-f]{64}$/);
  });

  test('APP_KEY and a database in memory create no key file', () => {
    const appKey = Buffer.alloc(32, 1);
    assert.equal(loadAppKey({ ...beside(), appKey }), appKey);
    assert.deepEqual(readdirSync(directory), []);
    const memory = { appKey: null, database: { kind: 'sqlite-memory' } as const };
    assert.notDeepEqual(loadAppKey(memory), loadAppKey(memory));
  });

  test('a missing key of an existing database stops the start, and no new key is made', () => {
    loadAppKey(beside());
    rmSync(keyFile());
    writeFileSync(beside().database.path, '');
    assert.equal(loadAppKey(beside()).length, 32, 'an empty file is no database yet');
    rmSync(keyFile());
    writeFileSync(beside().database.path, 'SQLite format 3');
    assert.throws(() => loadAppKey(beside()), namesKeyFile);
    assert.deepEqual(readdirSync(join(directory, 'data')), ['belfry.db']);
  });

  test('a database path that is a folder stops the start and no key is created', () => {
    assert.throws(
      () => loadAppKey({ appKey: null, database: { kind: 'sqlite', path: directory } }),
      /^StoreError: DATABASE_URL names the folder .*: name a file in it, such as .*belfry\.db\.$/,
    );
  });

  test("a key folder that can't be created stops the start", () => {
    assert.throws(
      () => loadAppKey({ appKey: null, database: { kind: 'sqlite', path: '/proc/x/b.db' } }),
      /The key file \/proc\/x\/app\.key cannot be read or written \(ENOENT\)/,
    );
  });

  test('a damaged key file stops the start and is not replaced', () => {
    loadAppKey(beside());
    writeFileSync(keyFile(), 'half a k');
    assert.throws(() => loadAppKey(beside()), namesKeyFile);
    assert.equal(readFileSync(keyFile(), 'utf8'), 'half a k');
  });
});

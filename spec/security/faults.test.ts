import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { before, useStarted } from '#testing/hooks';
import { startBelfry } from '#testing/process';
import { makeClient, signIn, visitorOf } from '#testing/remote';
import type { Visitor } from '#testing/visitor';
import { WAIT_LIMIT_MS } from '#testing/limits';
import { PASSWORD } from '#testing/users';

/** Addresses and forms that nobody's browser sends, and a database that breaks: no fault is the sender's to make. */

const belfry = useStarted(() => startBelfry({ env: { TRUSTED_PROXIES: '1' } }));
let ada: Visitor;

before(async () => {
  await makeClient(belfry);
  ada = await signIn(belfry);
});

const failed = () => belfry.output.filter((line) => line.includes('dashboard.failed'));

/** Every name under which a page looks into its address, as far as it stands there as a text. */
function findParameters(): string[] {
  const folder = path.join(import.meta.dirname, '../../src/dashboard');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'));
  const names = sources.flatMap((file) => {
    const source = readFileSync(path.join(folder, file), 'utf8');
    const uses = source.matchAll(/\b(?:params|searchParams|search|filters)\.\w+\(\s*'([a-z_]+)'/g);
    return [...uses].map(([, name]) => name ?? '');
  });
  return [...new Set(names)];
}

const LISTS = '/ /crons /queues /jobs /failures /alerts /maintenance'.split(' ');
const EDITORS = '/crons/new /queues/new /jobs/new /maintenance/new /teams/new'.split(' ');
const SETTINGS = '/settings/profile /settings/api-token /settings/members'.split(' ');
const THINGS = '/crons/x /queues/x /jobs/x /executions/x /jobs/progress'.split(' ');
const PAGES = [...LISTS, ...EDITORS, ...SETTINGS, ...THINGS];
const DOORS = ['/login', '/login/code', '/register', '/forgot-password', '/invitations/x'];
const TEXTS = ['http://[', '%00', '', '-1', 'x'.repeat(400), `'"<\\`];
const VALUES = ['2026-13-45T25:61', '00000000-0000-7000-8000-000000000000', '[]'];

async function check(visitor: Visitor, address: string): Promise<void> {
  const { status, text } = await visitor.get(address);
  assert.notEqual(status, 431, 'too long to reach the page');
  assert.ok(status < 500, `${address}: ${status} ${text.slice(0, 300)}`);
}

describe('an address that cannot be read', () => {
  test('an invalid address never gives a 500', async () => {
    const names = findParameters();
    assert.ok(names.length > 15, `found only ${names.join()}`);
    const signedOut = visitorOf(belfry);
    for (const odd of [...TEXTS, ...VALUES]) {
      const value = encodeURIComponent(odd);
      const search = names.map((name) => `${name}=${value}`).join('&');
      // One at a time: concurrent searches beyond the limit get 503.
      for (const page of PAGES) await check(ada, `${page}?${search}`);
      for (const page of DOORS) await check(signedOut, `${page}?${search}`);
    }
    for (const name of names) await check(ada, `/jobs?${name}=http://[`);
    assert.deepEqual(failed(), []);
  });

  test('an invalid address in a form gives a 400 page', async () => {
    for (const group of ['http://[', '//[', '', '\\', '/jobs', 'javascript:1']) {
      const answer = await ada.post('/failures', { intent: 'retry', group });
      assert.equal(answer.status, 400, group);
      assert.match(answer.text, /did not understand/);
    }
    assert.deepEqual(failed(), []);
  });
});

describe('logged faults', () => {
  const TOKEN = 'kR7-tokens-are-secrets_Zq3vW8yB2nM5xC1d';
  const places = [
    'reset-password',
    'invitations',
    'confirm-email',
    'stop-email-change',
    'confirm-address',
    'stop-alerts',
  ];

  test('the log entry of a fault has the number shown on the page and no tokens', async () => {
    const dropAll = new DatabaseSync(path.join(belfry.folder, 'belfry.db'), {
      timeout: WAIT_LIMIT_MS,
    });
    const tables = dropAll
      .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite%'")
      .all() as { name: string }[];
    dropAll.exec('pragma foreign_keys = off');
    const kept = new Set(['nodes', 'sessions', 'users', 'team_members', 'teams']);
    for (const { name } of tables.filter((table) => !kept.has(table.name)))
      dropAll.exec(`drop table if exists "${name}"`);
    dropAll.close();
    const numbers: string[] = [];
    for (const address of ['/crons', '/jobs', '/queues/x', '/jobs/x']) {
      for (const form of [address, `${address}.data`]) {
        const { status, text } = await ada.get(form);
        assert.equal(status, 500, form);
        assert.doesNotMatch(text, /no such table|node_modules/);
        const [number] =
          /[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/.exec(text) ?? [];
        assert.ok(number, `no number in ${form}`);
        numbers.push(number);
      }
    }
    for (const number of numbers)
      await belfry.line(new RegExp(`dashboard.failed.*${number}|${number}.*dashboard.failed`));
    const signedOut = visitorOf(belfry);
    for (const place of places) {
      for (const rest of ['', '.data', '/more', '?index', '?token=' + TOKEN, '/%', '%00']) {
        await signedOut.get(`/${place}/${TOKEN}${rest}`);
        await signedOut.post(`/${place}/${TOKEN}${rest}`, { password: PASSWORD, intent: 'x' });
        for (const method of ['PUT', 'DELETE', 'PROPFIND'])
          await fetch(`${belfry.url}/${place}/${TOKEN}${rest}`, {
            method,
            headers: { 'Sec-Fetch-Site': 'same-origin' },
          });
      }
    }
    assert.ok(failed().length > numbers.length, 'some of it failed');
    const logged = belfry.output.filter((line) => line.includes(TOKEN));
    assert.deepEqual(logged, []);
  });
});

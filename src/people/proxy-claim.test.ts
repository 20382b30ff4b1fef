import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readGroupsClaim } from './groups.ts';
import { type ProxySettings, readProxyClaim } from './proxy-claim.ts';

const SETTINGS: ProxySettings = {
  emailHeader: 'remote-email',
  nameHeader: 'remote-name',
  groupsHeader: 'remote-groups',
  groupSeparator: ',',
  from: [{ base: '172.18.0.0', prefix: 16 }],
  signOutUrl: null,
};

const read = (rawHeaders: string[], address = '::ffff:172.18.0.2', settings = SETTINGS) =>
  readProxyClaim({ rawHeaders, address }, settings);

describe('headers of a proxy', () => {
  test('headers from the address of the proxy give email, name and groups', () => {
    const headers = ['remote-EMAIL', ' Ada@Bells.test', 'Remote-Groups', 'ops, staff,,ops'];
    assert.deepEqual(read(headers), {
      kind: 'person',
      email: 'ada@bells.test',
      name: null,
      groups: ['ops', 'staff'],
    });
    const named = read(['Remote-Email', 'a@b.test', 'Remote-Name', 'J\u00c3\u00bcrgen']);
    assert.ok(named?.kind === 'person');
    assert.deepEqual([named.name, named.groups], ['Jürgen', []], 'UTF-8, and no groups at all');
    const encoded = read(['Remote-Email', 'a@b.test', 'Remote-Name', '=?utf-8?q?J=C3=BC?=']);
    assert.equal(encoded?.kind === 'person' && encoded.name, null);
    const without = { ...SETTINGS, groupsHeader: null };
    const claim = read(headers, '172.18.0.2', without);
    assert.equal(claim?.kind === 'person' && claim.groups, null, 'nobody says which');
  });

  test('headers from another address are ignored', () => {
    const headers = ['Remote-Email', 'ada@bells.test', 'X-Forwarded-For', '172.18.0.2'];
    for (const address of ['172.19.0.2', '::1', '127.0.0.1', ''])
      assert.equal(read(headers, address), null, address);
    assert.equal(readProxyClaim({ rawHeaders: headers, address: undefined }, SETTINGS), null);
  });

  test('a missing, empty or misspelt header of a proxy signs in nobody', () => {
    for (const headers of [
      [],
      ['Remote-Email', ''],
      ['Remote_Email', 'ada@bells.test'],
      ['X-Remote-Email', 'ada@bells.test', 'Remote-User', 'ada@bells.test'],
      ['Remote-Groups', 'ops'],
      ['X', 'Remote-Email', 'Y', 'ada@bells.test'],
    ])
      assert.equal(read(headers), null, headers.join());
  });

  for (const [flaw, headers] of [
    ['two emails', ['Remote-Email', 'a@b.test', 'remote-email', 'c@d.test']],
    ['the same twice', ['Remote-Email', 'a@b.test', 'Remote-Email', 'a@b.test']],
    [
      'two lists of groups',
      ['Remote-Email', 'a@b.test', 'Remote-Groups', 'x', 'Remote-Groups', 'y'],
    ],
    ['two names', ['Remote-Email', 'a@b.test', 'Remote-Name', 'x', 'Remote-Name', 'y']],
    ['a list', ['Remote-Email', 'a@b.test, c@d.test']],
    ['a name before it', ['Remote-Email', 'Ada <a@b.test>']],
    ['no email', ['Remote-Email', 'ada']],
    ['a letter that lower case makes plain', ['Remote-Email', '\u00e2\u0084\u00aaim@b.test']],
  ] as const)
    test(`headers are rejected: ${flaw}`, () => {
      assert.deepEqual(read([...headers]), { kind: 'untrusted' });
    });
});

test('groups are read from a list or a text, up to 500 valid names; else they are unknown', () => {
  assert.deepEqual(readGroupsClaim('ops'), ['ops']);
  assert.deepEqual(readGroupsClaim([]), []);
  const claim = ['b', ' a ', 'a', 5, null, '', 'x'.repeat(201), 'a\nb', { x: 1 }, 'c,d'];
  assert.deepEqual(readGroupsClaim(claim), ['a', 'b', 'c,d']);
  for (const odd of [undefined, null, 5, { ops: true }]) assert.equal(readGroupsClaim(odd), null);
  const many = Array.from({ length: 1000 }, (_, at) => `group ${at}`);
  assert.equal(readGroupsClaim(many)?.length, 500);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkChosenTeamName, parseGroupRoles } from './groups.ts';

const ID = '01a20ffd-8cab-74ad-a6b1-bc7287ae7d5c';

describe('GROUP_ROLES', () => {
  test('GROUP_ROLES maps groups to roles in teams, with quotes around names with separators', () => {
    for (const [text, expected] of [
      ['ops=Acme:admin', [['ops', 'Acme', 'admin']]],
      [
        '/belfry/ops = Acme Inc : member,ops=Acme:viewer',
        [
          ['/belfry/ops', 'Acme Inc', 'member'],
          ['ops', 'Acme', 'viewer'],
        ],
      ],
      [`ops=${ID}:viewer`, [['ops', ID, 'viewer']]],
      [
        String.raw`"cn=ops,ou=\"it\"" = "Acme, \\ Inc: 1" : viewer`,
        [['cn=ops,ou="it"', String.raw`Acme, \ Inc: 1`, 'viewer']],
      ],
    ] as const) {
      const found = parseGroupRoles(text)?.map(({ group, team, role }) => [group, team, role]);
      assert.deepEqual(found, expected, text);
    }
  });

  test('GROUP_ROLES is rejected as a whole if one entry is wrong', () => {
    const wrong = String.raw`ops; ops=Acme; =Acme:admin; ops=:admin; ops=Acme:owner; ops=Acme:admin,;
      ops=Acme:admin,,dev=Acme:member; ops=Acme:admin dev=Acme:member; a:b=Acme:admin;
      "ops=Acme:admin; "o\ps"=Acme:admin; ${'x'.repeat(201)}=Acme:admin; ops=${'x'.repeat(101)}:admin`;
    for (const text of ['', ...wrong.split(/;\s+/)]) {
      assert.equal(parseGroupRoles(text), null, text);
    }
  });

  test('GROUP_ROLES has at most 500 entries', () => {
    const entries = (count: number) => Array<string>(count).fill('ops=Acme:admin').join();
    assert.equal(parseGroupRoles(entries(500))?.length, 500);
    assert.equal(parseGroupRoles(entries(501)), null);
  });

  test('GROUP_ROLES keeps its team names for the operator', () => {
    const roles = parseGroupRoles('ops=Acme Inc:admin') ?? [];
    assert.equal(checkChosenTeamName(' Acme  Inc', roles).length, 1);
    assert.deepEqual(checkChosenTeamName('Acme', roles), []);
  });
});

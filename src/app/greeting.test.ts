import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { writeGreeting } from './greeting.ts';

const SERVED = {
  address: 'http://127.0.0.1:3000',
  baseUrl: 'https://belfry.test',
  database: { kind: 'sqlite', path: '/srv/belfry.db' },
  firstAccount: null,
} as const;

describe('the text printed at the start', () => {
  test('the text printed at the start names the address and the data folder', () => {
    assert.equal(
      writeGreeting(SERVED),
      'belfry is ready at http://127.0.0.1:3000\n  data: /srv/belfry.db\n',
    );
  });

  test('the start prints how to make the first account, with the setup code', () => {
    const next = (isCodeAlwaysAsked: boolean) => {
      const firstAccount = { code: 'AB12-CD34-EF56', isCodeAlwaysAsked };
      return writeGreeting({ ...SERVED, firstAccount })
        .split('\n')
        .slice(2, -1);
    };
    assert.deepEqual(next(true), [
      '  next: make the first account at https://belfry.test/setup with the code AB12-CD34-EF56',
    ]);
    assert.deepEqual(next(false), [
      '  next: make the first account at https://belfry.test/setup',
      '  setup code, if the page asks for it: AB12-CD34-EF56',
    ]);
  });

  test('the text printed at the start names Postgres without user and password', () => {
    const url = 'postgres://belfry:sesame@db.test:5433/bells?sslmode=verify-full';
    const said = writeGreeting({ ...SERVED, database: { kind: 'postgres', url, schema: 'tower' } });
    assert.match(said, /^ {2}data: Postgres db\.test:5433\/bells, schema tower$/m);
    assert.doesNotMatch(said, /sesame|belfry:/);
  });
});

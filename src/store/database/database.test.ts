import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { all, change } from './rows.ts';
import { aTeam } from '#testing/factories';
import { forEachServedStore } from '#testing/stores';
import { eventually } from '#testing/process';
import type { Trx } from './database.ts';
import { StoreError } from './errors.ts';

describe('the database handle', () => {
  forEachServedStore((name, openTestStore) => {
    test('inside a transaction or a read every outer handle is refused at once', async () => {
      await using store = await openTestStore();
      const { database } = store;
      const ways: (() => Promise<unknown>)[] = [
        () => database.read((db) => all(db, 'teams', {})),
        () => database.transact((trx) => all(trx, 'teams', {})),
        () => database.autocommit('select 1'),
        () => database.hold((connection) => connection.run('select 1', [])),
        () => store.teams.list(),
      ];
      for (const way of ways) {
        await assert.rejects(database.transact(way), { name: 'StoreError', code: 'STORE_FAULT' });
      }
      await assert.rejects(database.read(ways[4] as never), { code: 'STORE_FAULT' });
      assert.deepEqual(await store.teams.list(), []);
    });

    test('a transaction that throws leaves nothing behind', async () => {
      await using store = await openTestStore();
      const team = await aTeam(store);
      const rename = async (trx: Trx) => {
        await change(trx, 'teams', { id: team.id }, { name: 'Other' });
        throw new Error('changed my mind');
      };
      await assert.rejects(store.database.transact(rename), /changed my mind/);
      assert.equal((await store.teams.find(team.id))?.name, team.name);
    });

    test('a transaction with a conflict runs again from the start, up to five times', async () => {
      await using store = await openTestStore();
      let runs = 0;
      const winIn = (wanted: number) => async () => {
        if (++runs < wanted) throw new StoreError('STORE_CONFLICT', 'lost');
        return 'won';
      };
      assert.equal(await store.database.transact(winIn(3)), 'won');
      await assert.rejects(store.database.transact(winIn(3 + 6)), { code: 'STORE_CONFLICT' });
      assert.equal(runs, 3 + 5);
    });

    if (name === 'postgres') {
      test('a statement that loses a race with a transaction is run again', async () => {
        await using store = await openTestStore();
        const [a, b] = [await aTeam(store), await aTeam(store)];
        const holdsOne = Promise.withResolvers<void>();
        const waits = Promise.withResolvers<void>();
        const set = (trx: Trx, id: string) => change(trx, 'teams', { id }, { name: 'by one' });
        const transaction = store.database.transact(async (trx) => {
          // The transaction that first looks for a deadlock is rolled back; this one waits long before it looks.
          await trx.run("set local deadlock_timeout = '30s'");
          await set(trx, b.id);
          holdsOne.resolve();
          await waits.promise;
          await set(trx, a.id);
        });
        await holdsOne.promise;
        // It locks the first row and waits for the second.
        const alone = store.database.autocommit<{ id: string }>(
          `with first as (update teams set name = 'alone' where id = $1 returning id)
            update teams set name = 'alone' where id = $2
              and (select count(*) from first) = 1 returning id`,
          [a.id, b.id],
        );
        await eventually(async () => {
          const waiting = await store.database.autocommit(
            `select 1 as one from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return waiting.length > 0;
        });
        waits.resolve();
        assert.equal((await alone).length, 1);
        await transaction;
        const names = (await store.teams.list()).map((team) => team.name);
        assert.deepEqual(names, ['alone', 'alone']);
      });
    }
  });
});

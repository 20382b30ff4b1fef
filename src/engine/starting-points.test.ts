import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RanStatement } from '#store/database/runner';
import { ask } from '#testing/ask';
import { eventually } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { scheduleJob, SECOND } from '#testing/scheduling';
import { startService } from '#testing/service';
import { openPostgresTestStore, TEST_START } from '#testing/stores';

/**
 * On Postgres a claim passes all rows that were removed since the last vacuum, from the place where it begins to
 * look.
 */
describe('where a claim begins to look, on Postgres', () => {
  test('a claim begins no later than the earliest waiting job after changes and faults', async () => {
    await using target = await startReceiver();
    const ran: RanStatement[] = [];
    const onStatement = (each: RanStatement) => ran.push(each);
    await using service = await startService((options) =>
      openPostgresTestStore({ ...options, onStatement }),
    );
    const { store, teamId } = service;
    await scheduleJob(service, { url: `${target.url}/first` });
    await target.waitFor(1);
    // The engine scans the whole store regularly, and so learns what was removed.
    await service.advance(300 * SECOND);

    ran.length = 0;
    const [queue] = await store.queues.list(teamId);
    await store.queues.update(teamId, queue?.id ?? '', { isPaused: true });
    await scheduleJob(service, { url: `${target.url}/paused` });
    await service.advance(20 * SECOND);
    await store.queues.update(teamId, queue?.id ?? '', { isPaused: false });
    await target.waitFor(2);
    await service.quiet();

    await ask(store, 'alter table usage_months rename to usage_months_away');
    await scheduleJob(service, { url: `${target.url}/after-a-fault` });
    await service.advance(SECOND);
    await ask(store, 'alter table usage_months_away rename to usage_months');
    await service.advance(2 * SECOND);
    await target.waitFor(3);
    await service.quiet();

    const beginnings = ran.flatMap(({ sql, parameters }) =>
      sql.includes('claim-jobs-at-once')
        ? (JSON.parse(String(parameters[0])) as { from_at: number }[]).map(({ from_at }) => from_at)
        : [],
    );
    assert.ok(beginnings.length >= 3);
    const earliest = Math.min(...beginnings);
    // A late signal announces the first job. Nothing else makes a claim look back.
    assert.ok(earliest >= TEST_START - 120 * SECOND, `one began at ${earliest}`);
  });

  test('a claim searches from the earliest due row if a signal may be lost', async () => {
    await using target = await startReceiver();
    const looks: number[] = [];
    // A connection for signals reports whenever it is established, and that would make the engine scan everything.
    await using service = await startService((options) =>
      openPostgresTestStore({
        ...options,
        serving: false,
        onStatement: ({ sql, parameters }) => {
          if (sql.includes('scan-waiting-queues')) looks.push(Number(parameters[1]));
        },
      }),
    );
    const { clock, store } = service;
    /** Advances time in small steps until a look has begun behind `after`. */
    const lookBehind = (after: number) =>
      eventually(
        async () => {
          await service.advance(SECOND);
          return looks.some((from) => from > after);
        },
        { everyMs: 1 },
      );
    const { job_id } = await scheduleJob(service, { url: `${target.url}/late`, delay: 7200 });
    const due = clock.now();
    await lookBehind(due);

    await ask(store, `update jobs set scheduled_at = ${due} where id = '${job_id}'`);
    looks.length = 0;
    await lookBehind(due);
    await service.advance(SECOND);
    assert.equal(target.requests.length, 0, 'a look begins where the one before saw nothing');
    store.signals.send([{ kind: 'unknown' }]);
    await target.waitFor(1);
  });
});

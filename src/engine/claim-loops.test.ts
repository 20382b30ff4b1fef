import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdRows } from '#testing/holder';
import { startReceiver } from '#testing/receiver';
import { openRows } from '#testing/rows';
import { scheduleJob } from '#testing/scheduling';
import { startService } from '#testing/service';
import { openPostgresTestStore, postgresUrl } from '#testing/stores';

test('jobs are claimed while a claim of callbacks waits for a lock on Postgres', async () => {
  await using receiver = await startReceiver();
  await using service = await startService(openPostgresTestStore);
  await using holder = await holdRows(service.store);
  await using rows = await openRows(postgresUrl(service.store));
  const waiting = () =>
    rows.all(`select pid, query_start::text from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
  const callback = `'${service.teamId}', gen_random_uuid(), gen_random_uuid(), '${receiver.url}/callback', '{}', 0`;
  await rows.all(
    `insert into callbacks (team_id, id, run_id, url, body, created_at) values (${callback})`,
  );
  await holder.query('lock table callbacks in access exclusive mode');
  service.store.signals.send([{ kind: 'callbacks', teamId: service.teamId }]);
  await holder.untilSomebodyWaits();
  const claim = await waiting();
  assert.equal(claim.length, 1);
  await scheduleJob(service, { url: `${receiver.url}/job` });
  await receiver.next(({ url }) => url === '/job');
  assert.deepEqual(await waiting(), claim, 'the same claim still waits');
  await holder.query('commit');
  await receiver.next(({ url }) => url === '/callback');
});

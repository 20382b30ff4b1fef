/**
 * A stored part of a request is unreadable: it was sealed with another APP_KEY, or damaged. Only that run fails, with
 * a message; other runs work (§2.7, §3.6).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#domain/base/log';
import { startReceiver } from '#testing/receiver';
import { executionsOf } from '#testing/scheduling';
import { startService } from '#testing/service';
import { forEachStore, SEALED_ELSEWHERE } from '#testing/stores';
import { jobEnd, runJob } from '#testing/runs';
import { aUser } from '#testing/users';

const UNREADABLE = {
  headers: "The stored headers can't be opened with this APP_KEY.",
  assertions: "The stored assertions can't be read.",
  payload: "The stored payload can't be read.",
  secret: "The team's signing secret can't be opened with this APP_KEY.",
};
/** A job that failed in the worker has no callback (§6.2); a cron has one for every run (§6.3). */
const SENT = ['/beside', '/beside-assertions', '/callback/cron-headers', '/cron/beside'];

forEachStore((_, openTestStore) => {
  test('an unreadable row fails its run with a message, and other rows work', async () => {
    await using target = await startReceiver();
    const errors: unknown[] = [];
    const error = (event: string, fields?: object) =>
      void errors.push([event, { error: undefined, ...fields }.error]);
    const log = { ...silentLog, error };
    await using service = await startService(openTestStore, { sends: false, log });
    const { store, people, teamId } = service;
    const signers = await aUser(service, 'eve@example.com', { team: 'Signers' });
    await people.operator.generateSigningSecret(signers.teamId);
    const asSigner = { Authorization: `Bearer ${signers.apiToken}` };
    const post = async (path: string, fields: object = {}, headers = {}) => {
      const job = { queue: 'q', url: `${target.url}${path}`, ...fields };
      return String((await service.post('/api/jobs', job, headers)).json['job_id']);
    };
    const postCron = async (name: string, callback: string | null, headers = {}) => {
      const cron = {
        name,
        url: `${target.url}/cron/${name}`,
        cron_expression: '0 0 1 1 *',
        headers: { 'X-Key': 'k' },
        payload: '{"a":1}',
        callback_url: callback && `${target.url}${callback}`,
      };
      return String((await service.post('/api/crons', cron, headers)).json['id']);
    };
    const callback_url = `${target.url}/callback/job`;
    const jobs = {
      headers: await post('/headers', { callback_url, headers: { 'X-Key': 'k' } }),
      assertions: await post('/assertions', { callback_url, queue: 'asserted' }),
      secret: await post('/unsigned', { callback_url }, asSigner),
    };
    await post('/beside');
    await post('/beside-assertions', { queue: 'other' });
    const crons = {
      headers: await postCron('headers', '/callback/cron-headers'),
      payload: await postCron('payload', null),
      secret: await postCron('unsigned', '/callback/unsigned', asSigner),
    };
    await postCron('beside', null);
    for (const statement of [
      `update jobs set sealed_headers = '${SEALED_ELSEWHERE}' where id = '${jobs.headers}'`,
      `update queues set assertions = '[{"kind"' where name = 'asserted'`,
      `update crons set sealed_headers = '${SEALED_ELSEWHERE}' where id = '${crons.headers}'`,
      `update crons set payload = '"{' where id = '${crons.payload}'`,
      `update crons set next_run_at = ${service.clock.now()}`,
      `update teams set sealed_signing_secret = '${SEALED_ELSEWHERE}' where name = 'Signers'`,
    ])
      await store.database.autocommit(statement);

    await service.engine?.start();
    await target.waitFor(SENT.length);
    await service.quiet();
    for (const [what, id] of Object.entries(jobs)) {
      const team = what === 'secret' ? signers.teamId : teamId;
      const job = await jobEnd({ ...service, teamId: team }, id);
      assert.deepEqual(
        [job.status, job.attemptNumber, job.reason, job.errorMessage],
        ['dead_lettered', 1, 'worker_failed', UNREADABLE[what as keyof typeof jobs]],
      );
    }
    for (const [what, id] of Object.entries(crons)) {
      const team = what === 'secret' ? signers.teamId : teamId;
      const [run, ...more] = await executionsOf({ ...service, teamId: team }, id);
      assert.deepEqual(
        [run?.status, run?.errorMessage, more],
        ['failed', UNREADABLE[what as keyof typeof crons], []],
      );
    }
    assert.deepEqual(errors, [['callback.given-up', UNREADABLE.secret]]);
    assert.deepEqual(await store.callbacks.scanWaiting(), []);

    // Later jobs are sent. The failed runs were not sent, retried, counted or reported by a callback.
    assert.equal((await runJob(service, { url: `${target.url}/later` })).status, 'success');
    const paths = target.requests.map(({ url }) => url.replace(/\?.*/, ''));
    assert.deepEqual(paths.toSorted(), [...SENT, '/later'].toSorted());
    const used = [teamId, signers.teamId].map((id) =>
      store.usage.usedInMonth(id, service.clock.now()),
    );
    assert.deepEqual(await Promise.all(used), [4, 0]);
  });
});

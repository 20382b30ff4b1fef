import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aCron, aJob, aQueue } from '#testing/factories';
import { ANYBODY, openWork } from '#testing/work';

const SECRET = 'hunter2';

const open = async (fail = false) => {
  const fixture = await openWork();
  const { store, team } = fixture;
  const faults: unknown[] = [];
  const log = { error: (event: string, fields?: object) => void faults.push([event, fields]) };
  if (fail) store.activity.record = () => Promise.reject(new Error('the database is away'));
  const work = fixture.work.for({ ...ANYBODY, log });
  const list = async () =>
    (await work.listActivity(team.id, { withAccess: true, limit: 100 })).map(
      ({ action, subject, detail }) => [action, subject?.name ?? null, detail],
    );
  return { ...fixture, work, list, faults };
};

describe('activity entries (§5.10)', () => {
  test('an activity entry has the changes without values that may be secret', async () => {
    await using all = await open();
    const { store, team, work, list } = all;
    const cron = await aCron(store, team.id, { name: 'Nightly' });
    await work.pauseCron(team.id, cron.id);
    await work.editCron(team.id, cron.id, {
      ...cron,
      isActive: false,
      alertThreshold: 2,
      cronExpression: '0 4 * * *',
      url: `https://target.example/?key=${SECRET}`,
      headers: [['Authorization', SECRET]],
      payload: SECRET,
      callbackUrl: `https://callback.example/${SECRET}`,
    });
    await work.deleteCron(team.id, cron.id);
    const entries = await list();
    assert.deepEqual(entries, [
      ['cron.deleted', 'Nightly', null],
      [
        'cron.edited',
        'Nightly',
        'URL, schedule: 0 * * * * → 0 4 * * *, headers, payload, callback URL, alert threshold: none → 2',
      ],
      ['cron.paused', 'Nightly', null],
    ]);
    assert.ok(!JSON.stringify(entries).includes(SECRET));
  });

  test('changes of queues, jobs and windows are recorded, one or many', async () => {
    await using all = await open();
    const { store, team, work, list } = all;
    const queue = await aQueue(store, team.id, { name: 'mail' });
    await work.editQueue(team.id, queue.id, { timeoutSeconds: 60, tags: ['eu', 'mails'] });
    const one = await aJob(store, team.id, { queue: 'mail', delaySeconds: 60 });
    const two = await aJob(store, team.id, { queue: 'mail', delaySeconds: 60 });
    await work.actOnJobs(team.id, 'fire', [one.jobId]);
    await work.actOnJobs(team.id, 'delete', [one.jobId, two.jobId]);
    await work.startMaintenanceNow(team.id, 'team');
    for (const timeoutSeconds of [5, 6]) await work.setQueue(team.id, 'new', { timeoutSeconds });
    assert.deepEqual(await list(), [
      ['queue.edited', 'new', 'timeout: 5 → 6'],
      ['queue.created', 'new', null],
      ['window.created', 'Maintenance', null],
      ['jobs.deleted', null, '2 jobs'],
      ['job.fired', one.jobId.slice(-8), null],
      ['queue.edited', 'mail', 'timeout: 30 → 60, tags: none → eu mails'],
    ]);
  });

  test('reads and changes without effect are not recorded', async () => {
    await using all = await open();
    const { team, work, list } = all;
    const nowhere = '018f0000-0000-7000-8000-000000000000';
    await work.pauseCron(team.id, nowhere);
    await work.deleteQueue(team.id, nowhere);
    await work.fireJob(team.id, 'x');
    await work.readOverview(team.id);
    assert.deepEqual(await list(), []);
  });

  test("an action succeeds if its activity entry can't be written, which is logged", async () => {
    await using all = await open(true);
    const { store, team, work, faults } = all;
    const cron = await aCron(store, team.id);
    assert.equal((await work.pauseCron(team.id, cron.id))?.isActive, false);
    assert.deepEqual(faults, [
      ['activity.not-recorded', { what: 'cron.paused', error: 'the database is away' }],
    ]);
  });

  test('secrets are not shown if that can not be recorded', async () => {
    await using all = await open(true);
    const { store, team, work } = all;
    const cron = await aCron(store, team.id);
    const shown = work.findCron(team.id, cron.id, { showSecrets: true });
    await assert.rejects(shown, /the database is away/);
    assert.equal((await work.findCron(team.id, cron.id))?.id, cron.id);
  });

  test('secrets that are shown again are recorded after ten minutes, or if the clock was set back', async () => {
    await using all = await open();
    const { store, team, work, list } = all;
    const cron = await aCron(store, team.id);
    const show = () => work.findCron(team.id, cron.id, { showSecrets: true });
    const counts: number[] = [];
    for (const step of [0, 599_000, 2_000, -3_600_000]) {
      await store.testClock.advance(step);
      await show();
      counts.push((await list()).length);
    }
    assert.deepEqual(counts, [1, 1, 2, 3]);
  });

  test('an edit of one setting of the team leaves the others, and none is recorded without a change', async () => {
    await using all = await open();
    const { team, work, list } = all;
    await work.editTeamSettings(team.id, { shownField: '$.a' });
    await work.editTeamSettings(team.id, { maskedFields: ['iban'] });
    await work.editTeamSettings(team.id, { maskedFields: ['iban'] });
    const settings = { shownField: '$.a', maskedFields: ['iban'] };
    assert.deepEqual(await work.readTeamSettings(team.id), settings);
    assert.deepEqual(
      (await list()).map(([, , detail]) => detail),
      ['masked fields: none → iban', 'field in lists of jobs: none → $.a'],
    );
  });

  test('entries about sign-ins and secrets are only for permitted roles', async () => {
    await using all = await open();
    const { store, team, work } = all;
    await store.activity.record(team.id, 'command-line', { action: 'signing.shown' }, 1);
    const count = async (asked: object) =>
      (await work.listActivity(team.id, { withAccess: false, limit: 9, ...asked })).length;
    assert.equal(await count({}), 0);
    assert.equal(await count({ area: 'access' }), 0);
    assert.equal(await count({ withAccess: true }), 1);
    assert.equal(await count({ withAccess: true, actorId: 'x' }), 0);
  });
});

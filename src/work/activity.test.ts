import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aCron, aDeadLetter, aJob, aNewJob, aQueue } from '#testing/factories';
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

  test('changes of each kind are recorded with their subject', async () => {
    await using all = await open();
    const { store, team, work, list, node } = all;
    const cron = await aCron(store, team.id, { name: 'Nightly' });
    const gone = await aCron(store, team.id, { name: 'Gone' });
    const queue = await aQueue(store, team.id, { name: 'mail' });
    const aWaiting = () => aJob(store, team.id, { queue: 'mail', delaySeconds: 60 });
    const shortOf = (id: string) => id.slice(-8);
    const waiting = await aWaiting();
    const failed = await aDeadLetter(store, team.id, node);
    const { payload: _, ...job } = aNewJob(team.id, { queue: 'post' });
    const now = store.clock.now();
    const input = { ...job, payloadJson: null, scheduledAt: now + 60_000 };
    const chat = { kind: 'slack', url: 'https://chat.example/hook' } as const;
    const times = { startsAt: now, endsAt: now + 60_000, isWeekly: false };
    const window = { name: 'Upgrade', ...times, covers: [] };
    const moved = { ...window, name: 'Move' };
    const added = { name: 'Chat', config: chat, collectMinutes: null };
    const channelId = async () => (await work.listChannels(team.id))[1]?.id ?? '';
    const windowId = async () => (await work.listWindows(team.id))[0]?.id ?? '';
    const { actOnCrons, deleteWindow, deleteChannel } = work;
    const steps: [string, string | null, () => Promise<unknown>][] = [
      ['cron.created', 'New', () => work.createCron(team.id, { ...cron, name: 'New' })],
      ['cron.run', 'Nightly', () => work.runCronNow(team.id, cron.id)],
      ['cron.muted', 'Nightly', () => work.muteCron(team.id, cron.id, 1)],
      ['cron.unmuted', 'Nightly', () => work.unmuteCron(team.id, cron.id)],
      ['cron.edited', 'Nightly', () => work.addCronTag(team.id, cron.id, 'night')],
      ['cron.paused', 'Nightly', () => actOnCrons(team.id, 'pause', { ids: [cron.id] })],
      ['cron.started', 'Nightly', () => work.startCron(team.id, cron.id)],
      ['cron.deleted', 'Gone', () => work.deleteCron(team.id, gone.id)],
      ['queue.edited', 'post', () => work.renameQueue(team.id, queue.id, 'post')],
      ['queue.paused', 'post', () => work.pauseQueue(team.id, queue.id)],
      ['queue.resumed', 'post', () => work.resumeQueue(team.id, queue.id)],
      ['job.edited', shortOf(waiting.jobId), () => work.editJob(team.id, waiting.jobId, input)],
      ['job.fired', shortOf(waiting.jobId), () => work.fireJob(team.id, waiting.jobId)],
      ['job.deleted', shortOf(waiting.jobId), () => work.deleteJob(team.id, waiting.jobId)],
      ['job.retried', shortOf(failed.id), () => work.retryJob(team.id, failed.id)],
      ['jobs.fired', null, () => work.startBulk(team.id, 'fire', { tab: 'pending' })],
      ['queue.deleted', 'post', () => work.deleteQueue(team.id, queue.id)],
      ['window.created', 'Upgrade', () => work.createWindow(team.id, window)],
      ['window.edited', 'Move', async () => work.editWindow(team.id, await windowId(), moved)],
      ['window.deleted', 'Move', async () => deleteWindow(team.id, await windowId())],
      ['channel.edited', null, () => work.setChannel(team.id, { kind: 'email' })],
      ['channel.added', 'Chat', () => work.addChannel(team.id, added)],
      ['channel.deleted', 'Chat', async () => deleteChannel(team.id, await channelId())],
      ['team.paused', null, () => work.pauseTeam(team.id, 'Ada')],
      ['team.resumed', null, () => work.resumeTeam(team.id)],
    ];
    for (const [action, subject, act] of steps) {
      const before = await list();
      await act();
      const entries = (await list()).slice(0, -before.length || undefined);
      assert.deepEqual(
        entries.map(([what, name]) => [what, name]),
        [[action, subject]],
      );
    }
    const created = await work.createJob(team.id, input);
    assert.deepEqual((await list())[0], ['job.created', shortOf(created.jobId), 'in post']);
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

  test('if an entry can not be written, an action succeeds but no secret is shown', async () => {
    await using all = await open(true);
    const { store, team, work, faults } = all;
    const cron = await aCron(store, team.id);
    assert.equal((await work.pauseCron(team.id, cron.id))?.isActive, false);
    assert.deepEqual(faults, [
      ['activity.not-recorded', { what: 'cron.paused', error: 'the database is away' }],
    ]);
    const shown = work.findCron(team.id, cron.id, { showSecrets: true });
    await assert.rejects(shown, /the database is away/);
    assert.equal((await work.findCron(team.id, cron.id))?.id, cron.id);
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
});

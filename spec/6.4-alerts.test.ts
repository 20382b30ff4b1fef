/** §6.4: alerts of crons and queues, where they go and when they are muted; §6.5, §6.6, §5.6. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { change } from '#store/database/rows';
import { readJobSearch } from '#dashboard/runs/job-search';
import { NO_ALERT_SETTINGS } from '#domain/alerts/alert-settings';
import { BROKEN, OK, startScene } from '#testing/alert-scene';
import { BASE_URL, startNotifier } from '#testing/notifying';
import { runCronNow } from '#testing/runs';
import { TEAM } from '#testing/service';
import { attemptsOf, makeGate, MINUTE, scheduleJob, SECOND, setQueue } from '#testing/scheduling';
import { openSqliteTestStore } from '#testing/stores';
import { readDefaultChannel, runAlerts, setDefaultChannel } from '#testing/factories';
import { aUser } from '#testing/users';

test('a failing cron posts a warning, one failure and the downtime to the chat', async () => {
  await using scene = await startScene();
  const { service } = scene;
  const cronId = await scene.makeCron({ name: 'Nightly', alert_threshold: 2 });
  await scene.run(cronId, 'x');
  await scene.allSent();
  await service.advance(5 * MINUTE);
  await scene.run(cronId, 'xxx');
  await scene.allSent();
  await service.advance(7 * MINUTE);
  await scene.run(cronId, 'oo');
  await scene.allSent();
  assert.deepEqual(scene.titles(), [
    'Warning: cron “Nightly” failed',
    'Failure: cron “Nightly” failed 2 times in a row',
    'Recovery: cron “Nightly” works again after 12 min',
  ]);
  assert.ok((await scene.alerts()).every(({ delivery }) => delivery === 'sent'));
});

test('a notification leaves out secrets of the request that the response repeats', async () => {
  await using scene = await startScene();
  const { service, target, chat } = scene;
  // Answers as some frameworks do: with the request that they failed at.
  target.answer('/repeat', ({ headers, body, url }) => ({
    status: 500,
    body: JSON.stringify({ why: 'out of cheese', headers, url, body: body.toString() }),
  }));
  await setQueue(service, { emailAlerts: true, retriesEnabled: false });
  await scheduleJob(service, {
    url: `${target.url}/repeat?token=t0ken`,
    headers: { 'X-Api-Key': 'k3y-of-ours', Authorization: 'Bearer b3arer"1' },
    payload: { card: 'c4rd/1111' },
  });
  await target.waitFor(1);
  await service.quiet();
  await scene.allSent();
  const post = chat.requests[0]?.body.toString() ?? '';
  assert.ok(post.includes('out of cheese'));
  assert.doesNotMatch(post, /k3y-of-ours|t0ken|c4rd|b3arer/);
});

describe('alerts of jobs', () => {
  test("job alerts are emailed to every member and posted to the team's chat", async () => {
    await using scene = await startScene();
    const { service, target } = scene;
    await aUser(service, 'grace@example.com', { team: TEAM });
    target.answer('/job', BROKEN);
    await setQueue(service, { emailAlerts: true, retrySchedule: [60, 60] });
    const { job_id } = await scheduleJob(service, { url: `${target.url}/job` });
    await target.waitFor(1);
    await service.quiet();
    await service.advance(MINUTE);
    await target.waitFor(2);
    await service.quiet();
    assert.equal(await scene.levels(), 'warning', 'a retry that fails says nothing');
    await service.advance(MINUTE);
    await target.waitFor(3);
    await service.quiet();
    await scene.allSent();
    const title = 'Failure: a job of queue “emails” was dead-lettered';
    assert.deepEqual(scene.titles(), [
      'Warning: a job of queue “emails” failed at its first attempt',
      title,
    ]);
    const mails = await scene.smtp.waitFor(4);
    assert.deepEqual(mails.map(({ to }) => to.join()).toSorted(), [
      'ada@example.com',
      'ada@example.com',
      'grace@example.com',
      'grace@example.com',
    ]);
    assert.equal(mails.at(-1)?.subject, title);
    const last = (await attemptsOf(service, job_id)).at(-1);
    assert.ok(mails.at(-1)?.text.includes(`${BASE_URL}/jobs/${last?.id}`));
    assert.ok(mails.at(-1)?.html.includes('out of cheese'));
  });

  test('a burst of dead letters sends one alert at once, then one with a count', async () => {
    await using scene = await startScene();
    const { service, chat } = scene;
    const post = async (count: number) => {
      await scene.failJobs(count);
      await scene.allSent();
    };
    await post(1);
    await service.advance(SECOND);
    await post(7);
    assert.equal(chat.requests.length, 1);
    await service.advance(MINUTE - SECOND - 1);
    await scene.allSent();
    assert.equal(chat.requests.length, 1, 'not before the minute is over');
    await service.advance(1);
    await scene.allSent();
    assert.deepEqual(scene.titles(), [
      'Failure: a job of queue “emails” was dead-lettered',
      'Failure: 7 jobs of queue “emails” were dead-lettered',
    ]);
    const { text = '' } = (await scene.smtp.waitFor(2)).at(-1) ?? {};
    const [, list = ''] = /^Open the failed jobs: (\S+)$/m.exec(text) ?? [];
    const { search } = readJobSearch(new URL(list).searchParams);
    assert.ok(search);
    const { rows } = await service.work.searchJobs(service.teamId, search);
    assert.equal(rows.length, 7, 'the link leads to all of them');
    assert.equal((await scene.alerts()).length, 8, 'the Alerts tab has each of them');
    assert.ok((await scene.alerts()).every(({ delivery }) => delivery === 'sent'));
    await service.advance(2 * MINUTE);
    await post(1);
    assert.equal(chat.requests.length, 3, 'after a quiet minute at once again');
  });
});

test("a cron's run over the monthly limit leaves the failure streak unchanged", async () => {
  await using scene = await startScene(openSqliteTestStore, { plan: 'tiny' });
  const { service } = scene;
  const calm = await scene.makeCron();
  const failing = await scene.makeCron({ alert_threshold: 3 });
  await scene.run(failing, 'xx');
  await scene.run(calm, 'o');
  const blocked = await runCronNow(service, failing);
  assert.equal(blocked.reason, 'limit_exceeded');
  await runCronNow(service, calm);
  assert.equal(await scene.levels(), 'warning');
  await service.people.operator.setPlan(scene.teamId, 'unlimited');
  await scene.run(failing, 'x');
  assert.equal(await scene.levels(), 'warning failure');
});

describe('maintenance windows', () => {
  test('sources that still fail when a window ends are in one notification (§6.6)', async () => {
    await using scene = await startScene();
    const { service, chat, teamId } = scene;
    const backup = await scene.makeCron({ name: 'Backup' });
    const report = await scene.makeCron({ name: 'Report', alert_threshold: 2 });
    const healed = await scene.makeCron({ name: 'Healed' });
    const windowId = (await scene.mute(59, { name: 'Move' }))?.id ?? '';
    await scene.run(backup, 'xx');
    await scene.run(report, 'xx');
    await scene.run(healed, 'xo');
    await scene.allSent();
    assert.equal(chat.requests.length, 0, 'inside, nobody is notified');
    await scene.wait(59 * MINUTE + 6_000);
    const ended = 'Still failing after maintenance “Move”: 2 crons fail';
    assert.deepEqual(scene.titles(), [ended]);
    assert.match(chat.requests[0]?.body.toString() ?? '', /Backup, Report/);
    await scene.run(backup, 'x');
    await scene.wait(60 * MINUTE);
    assert.equal(chat.requests.length, 1, 'nothing is sent twice');
    await scene.run(backup, 'o');
    await scene.run(report, 'o');
    await scene.allSent();
    assert.deepEqual(
      scene
        .titles()
        .slice(1)
        .map((title) => title.replace(/ after .*/, '')),
      ['Recovery: cron “Backup” works again', 'Recovery: cron “Report” works again'],
      'the streaks went on as if nothing had been muted',
    );
    const muted = await runAlerts(service.store, teamId, { windowId, limit: 100 });
    assert.deepEqual(
      muted.map(({ source, level, delivery }) => `${source.name} ${level} ${delivery}`).toSorted(),
      [
        'Backup failure sent',
        'Healed failure muted',
        'Healed recovery muted',
        'Report failure sent',
        'Report warning muted',
      ],
    );
  });

  test('a window ended by hand notifies of sources that no other window mutes', async () => {
    await using scene = await startScene();
    const { service, chat, teamId } = scene;
    const cron = await scene.makeCron();
    const long = await scene.mute(600, { name: 'Long' });
    await scene.mute(10, { name: 'Short' });
    await scene.run(cron, 'x');
    await scene.wait(11 * MINUTE);
    assert.equal(chat.requests.length, 0, 'the longer one goes on');
    await service.store.windows.delete(teamId, long?.id ?? '');
    await scene.allSent();
    assert.deepEqual(scene.titles(), [
      'Still failing after maintenance “Long”: cron “Report” fails',
    ]);
  });

  test('an unmuted cron that still fails notifies again, other crons do not', async () => {
    await using scene = await startScene();
    const { service, chat, teamId } = scene;
    const { work } = service;
    const one = await scene.makeCron({ name: 'One' });
    const two = await scene.makeCron({ name: 'Two' });
    const healed = await scene.makeCron({ name: 'Healed' });
    const covers = [one, two, healed].map((id) => ({ kind: 'cron' as const, id }));
    await scene.mute(60, { name: 'Deploy', covers });
    await scene.run(one, 'x');
    await scene.run(two, 'x');
    await scene.run(healed, 'xo');
    await scene.allSent();
    assert.equal(chat.requests.length, 0);
    for (const id of [one, healed]) await work.unmuteCron(teamId, id);
    await scene.allSent();
    const still = (name: string) =>
      `Still failing after maintenance “Deploy”: cron “${name}” fails`;
    assert.deepEqual(scene.titles(), [still('One')]);
    await scene.wait(60 * MINUTE + 6_000);
    assert.deepEqual(scene.titles(), [still('One'), still('Two')]);
  });
});

describe('the notification channel', () => {
  test('an email channel reports a slow queue, whose failures are mailed anyway', async () => {
    await using scene = await startScene();
    const { service, target, teamId } = scene;
    await setDefaultChannel(service.store, teamId, { kind: 'email' });
    await setQueue(service, { alertSettings: { ...NO_ALERT_SETTINGS, slowSeconds: 1 } });
    const gate = makeGate();
    target.answer('/job', { ...OK, after: gate.opened });
    await scheduleJob(service, { url: `${target.url}/job` });
    await target.waitFor(1);
    await service.clock.advance(2000);
    gate.open();
    await service.quiet();
    await scene.allSent();
    const [mail, ...more] = scene.smtp.mails;
    assert.deepEqual([mail?.to, more.length], [['ada@example.com'], 0]);
    assert.equal(mail?.subject, 'Warning: queue “emails” is slow');
  });

  test('a failing channel is retried for an hour, and its last error is kept', async () => {
    await using scene = await startScene();
    const { service, chat, teamId } = scene;
    chat.answer('/default', { status: 503 });
    await scene.run(await scene.makeCron(), 'x');
    await scene.allSent();
    assert.equal(chat.requests.length, 1);
    assert.equal((await scene.alerts())[0]?.delivery, 'pending');
    for (let n = 0; n < 61; n++) await scene.wait(MINUTE);
    assert.equal((await scene.alerts())[0]?.delivery, 'failed');
    const tries = chat.requests.length;
    assert.ok(tries >= 8 && tries <= 15, `${tries} tries`);
    const { lastError } = await readDefaultChannel(service.store, teamId);
    assert.equal(lastError, 'HTTP 503 error');
    await scene.wait(60 * MINUTE);
    assert.equal(chat.requests.length, tries);
  });

  test('a failing channel is shown as failing even if the emails were sent', async () => {
    await using scene = await startScene();
    const { service, chat, teamId } = scene;
    chat.answer('/default', { status: 503 });
    await scene.allSent();
    await scene.failJobs();
    await scene.smtp.waitFor(1);
    await scene.allSent();
    const { lastError, lastSentAt } = await readDefaultChannel(service.store, teamId);
    assert.equal(lastError, 'HTTP 503 error');
    assert.equal(lastSentAt, null, 'a mail is nothing that the chat took');
  });

  test('a channel chosen while emails fail gets the pending notifications', async () => {
    await using scene = await startScene();
    const { service, teamId } = scene;
    await setDefaultChannel(service.store, teamId, { kind: 'email' });
    scene.smtp.judgeRecipients(() => ({ code: 452, text: 'mailbox full' }));
    await scene.run(await scene.makeCron(), 'x');
    await scene.allSent();
    assert.equal((await scene.alerts())[0]?.delivery, 'pending');
    await scene.useChat();
    scene.smtp.judgeRecipients(() => null);
    await scene.wait(MINUTE);
    assert.deepEqual(scene.titles(), ['Failure: cron “Report” failed']);
    assert.equal(scene.smtp.mails.length, 0);
    assert.equal((await scene.alerts())[0]?.delivery, 'sent');
  });

  test('an email channel mails every member, and only those whose email failed again', async () => {
    await using scene = await startScene();
    const { service, teamId } = scene;
    await setDefaultChannel(service.store, teamId, { kind: 'email' });
    await aUser(service, 'grace@example.com', { team: TEAM });
    const full = { code: 452, text: 'mailbox full' };
    scene.smtp.judgeRecipients((address) => (address === 'grace@example.com' ? full : null));
    await scene.run(await scene.makeCron(), 'x');
    await scene.allSent();
    assert.equal(scene.smtp.mails.length, 1);
    scene.smtp.judgeRecipients(() => null);
    await scene.wait(MINUTE);
    assert.deepEqual(
      scene.smtp.mails.map(({ to }) => to.join()),
      ['ada@example.com', 'grace@example.com'],
    );
  });

  test('an unreachable mail server is reported without its address', async () => {
    await using scene = await startScene();
    await scene.smtp.close();
    assert.deepEqual(await scene.sendTest({ kind: 'email' }), {
      kind: 'failed',
      error: 'The mail to ada@example.com was not accepted: the mail server cannot be reached.',
    });
  });

  test('a channel with an unreadable address shows that, and members are emailed', async () => {
    await using scene = await startScene();
    const { service, teamId } = scene;
    await scene.run(await scene.makeCron(), 'x');
    const { database } = service.store;
    await change(database, 'channels', {}, { sealed_fields: 'damaged' });
    await change(database, 'notifications', {}, { targets: 'damaged' });
    await scene.wait(MINUTE);
    assert.equal(scene.smtp.mails.length, 1);
    const [alert] = await scene.alerts();
    assert.equal(alert?.delivery, 'sent');
    const { lastError } = await readDefaultChannel(service.store, teamId);
    assert.match(lastError ?? '', /can't be opened with this APP_KEY/);
  });

  test('a chat that hangs does not delay notifications of other teams', async () => {
    await using scene = await startScene();
    const { service, chat } = scene;
    chat.answer('/default', 'never');
    const { teamId } = await aUser(service, 'grace@example.com');
    await setDefaultChannel(service.store, teamId, { kind: 'slack', url: `${chat.url}/other` });
    const cronId = await scene.makeCron();
    await using running = await startNotifier(service);
    await scene.run(cronId, 'x');
    await chat.next(({ url }) => url.startsWith('/default'));
    const [settings] = await service.store.crons.list(scene.teamId);
    assert.ok(settings);
    const theirs = await service.store.crons.create(teamId, settings, null, 0);
    await service.store.crons.addExecution(teamId, theirs.id, service.clock.now());
    await chat.next(({ url }) => url === '/other');
    assert.equal(running.notifier.isQuiet(), false, 'the first team is still being notified');
  });
});

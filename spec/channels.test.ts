/** §6.5: several channels of a team, which crons and queues name by level. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { all } from '#store/database/rows';
import { NO_ALERT_SETTINGS } from '#domain/alerts/alert-settings';
import { signBody } from '#domain/http/signature';
import { BROKEN, OK, startScene } from '#testing/alert-scene';
import { startNotifier } from '#testing/notifying';
import type { Receiver } from '#testing/receiver';
import { MINUTE, scheduleJob, setQueue } from '#testing/scheduling';
import { forEachStore } from '#testing/stores';
import { readDefaultChannel, runAlerts } from '#testing/factories';
import { TEAM } from '#testing/service';
import { aUser } from '#testing/users';

type Scene = Awaited<ReturnType<typeof startScene>>;

forEachStore((dialect, openTestStore, once) => {
  describe('a cron with channels', () => {
    once(
      'a cron notifies its channels once, the default one of other levels, or nobody',
      async () => {
        await using scene = await startScene(openTestStore);
        const [ops, pager] = [await scene.add('ops'), await scene.add('pager')];
        const channels = { failure: ['default', ops, pager, ops], recovery: [] };
        const cronId = await scene.makeCronFor(channels, { alert_threshold: 2 });
        await scene.run(cronId, 'x');
        await scene.allSent();
        assert.deepEqual(scene.posts(), { '/default': 1 }, 'the warning');
        await scene.run(cronId, 'x');
        await scene.allSent();
        assert.deepEqual(scene.posts(), { '/default': 2, '/ops': 1, '/pager': 1 }, 'the failure');
        await scene.run(cronId, 'o');
        await scene.allSent();
        assert.deepEqual(scene.posts(), { '/default': 2, '/ops': 1, '/pager': 1 }, 'the recovery');
        assert.deepEqual(await scene.deliveries(), ['sent', 'sent', 'muted']);
        assert.deepEqual(await scene.service.store.notifications.scanWaiting(), []);
      },
    );

    test('an alert is sent once every channel has it, even if one failed at first', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      const ops = await scene.add('ops');
      chat.answer('/ops', [{ status: 500 }, OK]);
      await scene.run(await scene.makeCronFor({ failure: ['default', ops] }), 'x');
      await scene.allSent();
      assert.deepEqual(scene.posts(), { '/default': 1, '/ops': 1 });
      assert.deepEqual(await scene.deliveries(), ['pending']);
      const { store } = service;
      assert.equal((await store.channels.find(teamId, ops))?.lastError, 'HTTP 500 error');
      assert.equal((await readDefaultChannel(store, teamId)).lastError, null);
      await scene.wait(MINUTE);
      assert.deepEqual(scene.posts(), { '/default': 1, '/ops': 2 });
      assert.deepEqual(await scene.deliveries(), ['sent']);
    });
  });

  test("a deleted channel's pending notifications go to the default channel, once", async () => {
    await using scene = await startScene(openTestStore);
    const { service, teamId } = scene;
    const { work } = service;
    const [ops, pager] = [await scene.add('ops'), await scene.add('pager')];
    const cronId = await scene.makeCronFor({ failure: [ops, pager], recovery: ['default', ops] });
    await scene.run(cronId, 'x');
    assert.equal(await work.deleteChannel(teamId, ops), true);
    assert.equal(await work.deleteChannel(teamId, pager), true);
    assert.equal(await work.deleteChannel(teamId, pager), false);
    await scene.allSent();
    assert.deepEqual(scene.posts(), { '/default': 1 }, 'what waited for two of them');
    await scene.run(cronId, 'o');
    await scene.allSent();
    assert.deepEqual(scene.posts(), { '/default': 2 }, 'the default and one that is gone');
    assert.deepEqual(await scene.deliveries(), ['sent', 'sent']);
  });

  for (const isMail of [true, false])
    once(
      `a queue without its channel is emailed once and notifies the default channel${isMail ? ' unless that is email' : ''}`,
      async () => {
        await using scene = await startScene(openTestStore);
        const { service, smtp, teamId } = scene;
        const { work } = service;
        if (isMail) await work.setChannel(teamId, { kind: 'email' });
        const ops = await scene.add('ops');
        const channels = { ...NO_ALERT_SETTINGS.channels, failure: [ops] };
        await scene.failJobs(1, { alertSettings: { ...NO_ALERT_SETTINGS, channels } });
        assert.equal(await work.deleteChannel(teamId, ops), true);
        await scene.allSent();
        assert.deepEqual(scene.posts(), isMail ? {} : { '/default': 1 });
        assert.equal(smtp.mails.length, 1);
        assert.deepEqual(await scene.deliveries(), ['sent']);
        assert.deepEqual(await service.store.notifications.scanWaiting(), []);
      },
    );

  describe('channels', () => {
    once("a cron can't notify channels of another team", async () => {
      await using scene = await startScene(openTestStore);
      const { service, teamId } = scene;
      const outsider = await aUser(service, 'grace@example.com');
      const theirs = await scene.add('theirs', { team: outsider.teamId });
      assert.equal(await service.work.findChannel(teamId, theirs), null);
      assert.equal(await service.work.deleteChannel(teamId, theirs), false);
      await scene.run(await scene.makeCronFor({ failure: [theirs] }), 'x');
      await scene.allSent();
      assert.deepEqual(scene.posts(), { '/default': 1 });
    });

    once('channels of a team have different names and addresses', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      const { work } = service;
      const ops = await scene.add('ops');
      const config = { kind: 'slack', url: `${chat.url}/default?key=s3cret` } as const;
      const existing = { config, collectMinutes: null };
      const same = { kind: 'same', as: 'the default channel' };
      assert.deepEqual(await work.addChannel(teamId, { name: 'again', ...existing }), same);
      assert.deepEqual(await work.editChannel(teamId, ops, { name: 'ops', ...existing }), same);
      const opsConfig = { kind: 'slack', url: `${chat.url}/ops` } as const;
      assert.deepEqual(await work.setChannel(teamId, opsConfig), { kind: 'same', as: 'ops' });
      const other = {
        config: { kind: 'teams', url: `${chat.url}/ops` },
        collectMinutes: null,
      } as const;
      const taken = await work.addChannel(teamId, { name: 'ops', ...other });
      assert.equal(taken.kind, 'name-taken');
      for (let n = 1; n < 20; n++) await scene.add(`channel-${n}`);
      const full = await work.addChannel(teamId, { name: 'one more', ...other });
      assert.equal(full.kind, 'too-many');
      const rows = await all(service.store.database, 'channels', {});
      assert.doesNotMatch(JSON.stringify(rows), /channel-1"[^}]*http/, 'sealed at rest');
      assert.ok(!JSON.stringify(await work.listChannels(teamId)).includes('/channel-1'));
    });
  });

  once(
    'a webhook gets signed posts with the same id at each retry, others unsigned ones',
    async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      await service.store.teams.setSigningSecret(teamId, 'whsec_of-ours', service.clock.now());
      const hook = await scene.addChannel('webhook', { kind: 'webhook', url: `${chat.url}/hook` });
      chat.answer('/hook', [{ status: 503 }, OK]);
      const note = 'Ask <ops>';
      const cronId = await scene.makeCronFor({ failure: [hook] }, { name: 'Pay' }, { note });
      await scene.run(cronId, 'x');
      await scene.allSent();
      await scene.wait(MINUTE);
      const [first, second, ...more] = chat.requests;
      assert.ok(first && second);
      assert.equal(more.length, 0);
      for (const { headers, body } of [first, second]) {
        const timestamp = Number(headers['x-service-timestamp']);
        assert.equal(headers['x-service-signature'], signBody('whsec_of-ours', timestamp, body));
      }
      assert.deepEqual(second.body, first.body);
      assert.partialDeepStrictEqual(JSON.parse(first.body.toString()), {
        team: { id: teamId, name: TEAM },
        source: { kind: 'cron', id: cronId, name: 'Pay' },
        response_excerpt: 'out of cheese',
        note,
      });

      const ntfy = { kind: 'ntfy', url: `${chat.url}/our-topic`, token: 'tk_1' } as const;
      assert.deepEqual(await scene.sendTest(ntfy), { kind: 'sent' });
      const { method, headers } = chat.requests[2] ?? assert.fail();
      assert.deepEqual([method, headers['content-type']], ['POST', 'application/json']);
      assert.equal(headers['authorization'], 'Bearer tk_1');
      assert.ok(!('x-service-signature' in headers) && !('x-service-timestamp' in headers));
    },
  );

  describe('PagerDuty', () => {
    const eventsIn = ({ requests }: Receiver) =>
      requests.map(({ body }) => {
        const event = JSON.parse(body.toString()) as Record<string, string>;
        return [event['event_action'], event['dedup_key']];
      });

    const addPager = ({ addChannel, chat }: Scene) =>
      addChannel('pagerduty', {
        kind: 'pagerduty',
        routing_key: 'R0UT1NGK3Y',
        server: chat.url,
      });

    once('PagerDuty gets one event per cron, each sent under a full lease', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat } = scene;
      const { clock, store } = service;
      const pager = await addPager(scene);
      await scene.mute(1);
      for (const name of ['A', 'B', 'C'])
        await scene.run(await scene.makeCronFor({ failure: [pager] }, { name }), 'x');
      const leases: number[] = [];
      chat.answer('/v2/enqueue', async () => {
        const [waiting] = await store.notifications.scanWaiting();
        leases.push((waiting?.nextDueAt ?? 0) - clock.now());
        await clock.advance(2_000);
        return { status: 202 };
      });
      await scene.wait(2 * MINUTE);
      assert.deepEqual(leases, [MINUTE, MINUTE, MINUTE]);
      assert.deepEqual(await scene.deliveries(), ['sent', 'sent', 'sent']);
    });

    once('a node that lost its notifications to another sends no more of them', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      const { clock, store } = service;
      const pager = await addPager(scene);
      await scene.mute(1);
      for (const name of ['A', 'B'])
        await scene.run(await scene.makeCronFor({ failure: [pager] }, { name }), 'x');
      chat.answer('/v2/enqueue', async () => {
        const now = clock.now() + 2 * MINUTE;
        await store.notifications.claimDue(teamId, { now, leaseMs: 60 * MINUTE, most: 5 });
        return { status: 202 };
      });
      await scene.wait(2 * MINUTE);
      assert.equal(chat.requests.length, 1);
      assert.equal((await store.channels.find(teamId, pager))?.lastError, null);
      assert.deepEqual(await scene.deliveries(), ['pending', 'pending']);
    });

    once('PagerDuty gets no incident for a failure that is over before it is sent', async () => {
      await using scene = await startScene(openTestStore);
      const { chat } = scene;
      const pager = await addPager(scene);
      chat.answer('/v2/enqueue', [{ status: 500 }, { status: 202 }]);
      const cronId = await scene.makeCronFor({ failure: [pager], recovery: [pager] });
      await scene.run(cronId, 'x');
      await scene.allSent();
      await scene.run(cronId, 'o');
      await scene.allSent();
      await scene.wait(MINUTE);
      const actions = eventsIn(chat).map(([action]) => action);
      assert.deepEqual(actions, ['trigger', 'resolve'], 'the trigger that failed came to nothing');
      assert.deepEqual(await scene.deliveries(), ['sent', 'sent']);
    });
  });

  describe('reminders', () => {
    const HOUR = 60 * MINUTE;
    /** The notifier looks some minutes later than on a fast machine. */
    const withoutMinutes = (titles: readonly string[]) =>
      titles.map((title) => title.replace(/(?<= h) .*$/, ''));

    once('reminders are sent every few hours until a cron recovers', async () => {
      await using scene = await startScene(openTestStore);
      const { chat } = scene;
      const cronId = await scene.makeCronFor(
        {},
        { name: 'Pay', is_active: true },
        { remindHours: 1 },
      );
      await scene.run(cronId, 'x');
      await scene.allSent();
      await scene.wait(HOUR - 10_000);
      assert.equal(chat.requests.length, 1, 'not before its time');
      await scene.waitForPosts(2, 10 * MINUTE);
      await scene.run(cronId, 'x');
      await scene.waitForPosts(3, HOUR + 10 * MINUTE);
      await scene.run(cronId, 'o');
      await scene.allSent();
      await scene.wait(2 * HOUR);
      assert.deepEqual(withoutMinutes(scene.titles()), [
        'Failure: cron “Pay” failed',
        'Reminder: cron “Pay” still fails after 1 h',
        'Reminder: cron “Pay” still fails after 2 h',
        'Recovery: cron “Pay” works again after 2 h',
      ]);
    });

    once('reminders stop while the team is paused and continue afterwards (§3.11)', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      await scene.run(await scene.makeCronFor({}, { is_active: true }, { remindHours: 1 }), 'x');
      await scene.allSent();
      await service.work.pauseTeam(teamId, 'Ada');
      await scene.wait(2 * HOUR);
      assert.equal(chat.requests.length, 1);
      await service.work.resumeTeam(teamId);
      // In the hour after, at a time that depends on when the notifier looked.
      await scene.waitForPosts(2, HOUR + 10 * MINUTE);
      await scene.wait(45 * MINUTE);
      assert.equal(chat.requests.length, 2, 'not again within the hour');
    });

    once('reminders wait for the end of a maintenance window and are then sent once', async () => {
      await using scene = await startScene(openTestStore);
      const { chat } = scene;
      const hourly = (name: string) =>
        scene.makeCronFor({}, { name, is_active: true }, { remindHours: 1 });
      await scene.run(await hourly('Before'), 'x');
      await scene.allSent();
      await scene.mute(2 * 60);
      const inside = await hourly('Inside');
      await scene.run(inside, 'x');
      await scene.wait(2 * HOUR - 10_000);
      assert.equal(chat.requests.length, 1, 'nothing inside the window');
      await scene.waitForPosts(3, 10 * MINUTE);
      assert.deepEqual(
        new Set(withoutMinutes(scene.titles().slice(1))),
        new Set([
          'Still failing after maintenance “Night”: cron “Inside” fails',
          'Reminder: cron “Before” still fails after 2 h',
        ]),
      );
      await scene.wait(45 * MINUTE);
      assert.equal(chat.requests.length, 3, 'what was sent at the end is sent again an hour later');
      await scene.waitForPosts(5, 30 * MINUTE);
    });

    const patient = { ...NO_ALERT_SETTINGS, remindHours: 1 } as const;
    const reminded = { emailAlerts: true, retriesEnabled: false, alertSettings: patient };

    test('a queue sends reminders while a failed job is neither retried nor deleted', async () => {
      await using scene = await startScene(openTestStore);
      const { service, teamId, target } = scene;
      await setQueue(service, reminded, 'mail');
      const fail = async () => {
        target.answer('/mail', BROKEN);
        const { job_id } = await scheduleJob(service, { queue: 'mail', url: `${target.url}/mail` });
        await service.quiet();
        await scene.allSent();
        return job_id;
      };
      const first = await fail();
      await scene.waitForPosts(2, HOUR + 10 * MINUTE);
      const second = await fail();
      await scene.wait(50 * MINUTE);
      const failure = 'Failure: a job of queue “mail” was dead-lettered';
      const reminder = 'Reminder: queue “mail” still has failed jobs after';
      const titles = () => scene.titles().map((title) => title.replace(/(?<= after) .*/, ''));
      assert.deepEqual(titles(), [failure, reminder, failure], 'what was sent anew waits');
      await service.work.actOnJobs(teamId, 'delete', [second]);
      await scene.waitForPosts(4, 20 * MINUTE);
      assert.deepEqual(titles().slice(3), [reminder]);
      const [alert] = await runAlerts(service.store, teamId, { limit: 1 });
      assert.deepEqual([alert?.kind, alert?.runId, alert?.attemptNumber], ['reminder', first, 1]);
      const rare = { ...patient, remindHours: 6 } as const;
      await setQueue(service, { alertSettings: rare }, 'mail');
      await scene.wait(HOUR + 5_000);
      assert.equal(scene.titles().length, 4, 'the hours of now count');
      target.answer('/mail', OK);
      await service.work.actOnJobs(teamId, 'retry', [first]);
      await service.quiet();
      await scene.wait(2 * HOUR);
      assert.equal(scene.titles().length, 4);
    });

    once('a queue that is paused, muted or without reminders sends none', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, target, teamId } = scene;
      target.answer('/mail', BROKEN);
      for (const name of ['paused', 'muted', 'silent', 'unmailed']) {
        await setQueue(service, reminded, name);
        await scheduleJob(service, { queue: name, url: `${target.url}/mail` });
        await service.quiet();
        await scene.allSent();
      }
      assert.equal(chat.requests.length, 4);
      await setQueue(service, { isPaused: true }, 'paused');
      await setQueue(service, { alertSettings: NO_ALERT_SETTINGS }, 'silent');
      await setQueue(service, { emailAlerts: false }, 'unmailed');
      const muted = await service.work.findQueueByName(teamId, 'muted');
      await scene.mute(2 * 60, { covers: [{ kind: 'queue', id: muted?.id ?? '' }] });
      await scene.wait(2 * HOUR - 10_000);
      assert.equal(chat.requests.length, 4);
      await scene.waitForPosts(5, 10 * MINUTE);
      const [reminder = ''] = scene.titles().slice(4);
      assert.match(reminder, /^Reminder: queue “muted” still has failed jobs after 2 h/);
    });

    test('two nodes raise each reminder once', async () => {
      await using scene = await startScene(openTestStore);
      const { service } = scene;
      const cronId = await scene.makeCronFor({}, { is_active: true }, { remindHours: 1 });
      await scene.run(cronId, 'x');
      const other = dialect === 'sqlite' ? service.store : await service.store.openAnother();
      await service.clock.advance(HOUR);
      const now = service.clock.now();
      await Promise.all([service.store, other].map(({ alerts }) => alerts.raiseReminders(now)));
      assert.equal((await runAlerts(service.store, scene.teamId, { limit: 10 })).length, 2);
    });
  });

  describe('a channel that collects notifications', () => {
    test('a collecting channel gets twelve alerts in one message after its minutes, others get them at once', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat } = scene;
      const calm = await scene.add('calm', { collectMinutes: 5 });
      for (let n = 0; n < 12; n++) {
        const cronId = await scene.makeCronFor(
          { failure: [calm, 'default'] },
          { name: `Cron ${n}` },
        );
        await scene.run(cronId, 'x');
        await service.clock.advance(1_000);
      }
      await scene.allSent();
      assert.deepEqual(scene.posts(), { '/default': 12 });
      await scene.wait(5 * MINUTE - 12_000 - 1);
      assert.deepEqual(scene.posts(), { '/default': 12 }, 'not before its time');
      await scene.wait(1);
      await scene.wait(10 * MINUTE);
      assert.deepEqual(scene.posts(), { '/default': 12, '/calm': 1 });
      assert.deepEqual(scene.titles('/calm'), ['12 alerts: 12 failures']);
      const body = chat.requests.at(-1)?.body.toString() ?? '';
      assert.ok(body.includes('Failure: cron “Cron 0” failed') && body.includes('And: 4 more'));
      assert.deepEqual(new Set(await scene.deliveries()), new Set(['sent']));
    });

    once('a failed collected message is retried whole, or goes to the default', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      const calm = await scene.add('calm', { collectMinutes: 5 });
      chat.answer('/calm', { status: 500 });
      for (const name of ['One', 'Two'])
        await scene.run(await scene.makeCronFor({ failure: [calm] }, { name }), 'x');
      await scene.wait(5 * MINUTE);
      assert.deepEqual(scene.posts(), { '/calm': 1 });
      // The pause after the first try.
      await scene.wait(15_000);
      assert.deepEqual(scene.titles('/calm'), ['2 alerts: 2 failures', '2 alerts: 2 failures']);
      assert.deepEqual(await scene.deliveries(), ['pending', 'pending']);
      await service.work.deleteChannel(teamId, calm);
      await scene.wait(10 * MINUTE);
      assert.deepEqual(scene.titles('/default?key=s3cret').toSorted(), [
        'Failure: cron “One” failed',
        'Failure: cron “Two” failed',
      ]);
      assert.deepEqual(await scene.deliveries(), ['sent', 'sent']);
    });

    once('a collecting webhook gets each alert of the message', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      await service.work.setChannel(teamId, { kind: 'webhook', url: `${chat.url}/hook` }, 1);
      const cronId = await scene.makeCronFor({}, { name: 'Pay' });
      await scene.run(cronId, 'xo');
      await scene.wait(MINUTE);
      const [post, ...more] = chat.requests;
      assert.equal(more.length, 0);
      const { type, alerts } = JSON.parse(post?.body.toString() ?? '') as {
        type: string;
        alerts: { level: string; source: { id: string } }[];
      };
      assert.equal(type, 'digest');
      assert.deepEqual(
        alerts.map(({ level, source }) => [level, source.id]),
        [
          ['failure', cronId],
          ['recovery', cronId],
        ],
      );
    });

    once('a collecting channel delays no emails to members', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      await service.work.setChannel(teamId, { kind: 'slack', url: `${chat.url}/calm` }, 5);
      await scene.failJobs();
      await scene.allSent();
      assert.equal(scene.smtp.mails.length, 1);
      assert.deepEqual(scene.posts(), {});
      await service.advance(5 * MINUTE);
      await scene.allSent();
      assert.deepEqual(scene.titles(), ['Failure: a job of queue “emails” was dead-lettered']);
      assert.equal(scene.smtp.mails.length, 1);
      assert.deepEqual(await scene.deliveries(), ['sent']);
    });
  });

  once('the end of a maintenance window notifies each channel once (§6.6)', async () => {
    await using scene = await startScene(openTestStore);
    const ops = await scene.add('ops');
    await scene.mute(60);
    for (const channels of [{}, { failure: ['default', ops] }, { failure: [] }])
      await scene.run(await scene.makeCronFor(channels), 'x');
    await scene.wait(61 * MINUTE);
    await scene.wait(MINUTE);
    assert.deepEqual(scene.posts(), { '/default': 1, '/ops': 1 });
    assert.deepEqual(await scene.deliveries(), ['sent', 'sent', 'muted']);
  });
  if (dialect === 'postgres') {
    test('an alert whose two channels are notified by two nodes ends as sent', async () => {
      await using scene = await startScene(openTestStore);
      const { service } = scene;
      const ops = await scene.add('ops');
      const cronId = await scene.makeCronFor({
        failure: ['default', ops],
        recovery: [ops, 'default'],
      });
      await scene.run(cronId, 'xoxoxoxo');
      const other = await service.store.openAnother();
      await using first = await startNotifier(service);
      await using second = await startNotifier(service, { store: other });
      await first.allSent();
      await second.allSent();
      assert.deepEqual(scene.posts(), { '/default': 8, '/ops': 8 });
      assert.deepEqual(new Set(await scene.deliveries()), new Set(['sent']));
    });
  }
});

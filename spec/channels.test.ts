/** §6.5: several channels of a team, which crons and queues name by level. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AlertSettings } from '#domain/alert-settings';
import { startNotifier } from '#testing/notifying';
import { type Answer, type Receiver, startReceiver } from '#testing/receiver';
import { runCronNow } from '#testing/runs';
import { MINUTE, scheduleCron, scheduleJob, setQueue } from '#testing/scheduling';
import { startService } from '#testing/service';
import { startSmtpServer } from '#testing/smtp';
import { forEachStore, type OpenTestStore } from '#testing/stores';

const OK: Answer = { status: 200, body: 'fine' };
const BROKEN: Answer = { status: 500, body: 'out of cheese' };
type Chosen = AlertSettings['channels'];

/** A service whose team has a default channel at `/default`, and others at paths of their own. */
async function startScene(openTestStore: OpenTestStore) {
  const stack = new AsyncDisposableStack();
  const target = stack.use(await startReceiver());
  const chat = stack.use(await startReceiver());
  const service = stack.use(await startService(openTestStore));
  const { teamId, work, store } = service;
  await work.setChannel(teamId, { kind: 'slack', url: `${chat.url}/default` });
  const add = async (name: string, team = teamId) => {
    const config = { kind: 'slack', url: `${chat.url}/${name}` } as const;
    const outcome = await work.addChannel(team, { name, config });
    assert.ok(outcome.kind === 'saved');
    return outcome.id;
  };
  return {
    service,
    target,
    chat,
    teamId,
    add,
    makeCron: async (channels: Chosen, fields: Record<string, unknown> = {}) => {
      const paused = { url: `${target.url}/cron`, is_active: false, alert_threshold: 1, ...fields };
      const { id } = await scheduleCron(service, paused);
      const cron = await store.crons.find(teamId, id);
      assert.ok(cron);
      await store.crons.update(
        teamId,
        id,
        { ...cron, alertSettings: { ...cron.alertSettings, channels } },
        { isActive: false, nextRunAt: null },
      );
      return id;
    },
    run: async (cronId: string, outcomes: string) => {
      for (const each of outcomes) {
        target.answer('/cron', each === 'o' ? OK : BROKEN);
        await runCronNow(service, cronId);
      }
    },
    deliveries: async () =>
      (await store.alerts.list(teamId, { limit: 100 }))
        .toReversed()
        .map(({ delivery }) => delivery),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Where posts went, with how many. */
function told(chat: Receiver): Record<string, number> {
  const byPath = Map.groupBy(chat.requests, ({ url }) => url);
  return Object.fromEntries([...byPath].map(([path, posts]) => [path, posts.length] as const));
}

forEachStore((dialect, openTestStore) => {
  describe('a cron that names channels', () => {
    test('tells each of them once by level, and the default where it chose nothing', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat } = scene;
      await using notifier = await startNotifier(service);
      const [ops, pager] = [await scene.add('ops'), await scene.add('pager')];
      const channels = { failure: ['default', ops, pager, ops], recovery: [ops] };
      const cronId = await scene.makeCron(channels, { alert_threshold: 2 });
      await scene.run(cronId, 'x');
      await notifier.told();
      assert.deepEqual(told(chat), { '/default': 1 }, 'the warning');
      await scene.run(cronId, 'x');
      await notifier.told();
      assert.deepEqual(told(chat), { '/default': 2, '/ops': 1, '/pager': 1 }, 'the failure');
      await scene.run(cronId, 'o');
      await notifier.told();
      assert.deepEqual(told(chat), { '/default': 2, '/ops': 2, '/pager': 1 }, 'the recovery');
      assert.deepEqual(await scene.deliveries(), ['sent', 'sent', 'sent']);
    });

    test('tells nobody where it says so; the alert is recorded all the same', async () => {
      await using scene = await startScene(openTestStore);
      await using notifier = await startNotifier(scene.service);
      await scene.run(await scene.makeCron({ failure: [] }), 'x');
      await notifier.told();
      assert.deepEqual(told(scene.chat), {});
      assert.deepEqual(await scene.deliveries(), ['muted']);
      assert.deepEqual(await scene.service.store.notices.scanWaiting(), []);
    });

    test('tells one channel while another one fails; the alert is sent once both are told', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      await using notifier = await startNotifier(service);
      const ops = await scene.add('ops');
      chat.answer('/ops', [{ status: 500 }, OK]);
      await scene.run(await scene.makeCron({ failure: ['default', ops] }), 'x');
      await notifier.told();
      assert.deepEqual(told(chat), { '/default': 1, '/ops': 1 });
      assert.deepEqual(await scene.deliveries(), ['pending']);
      const { store } = service;
      assert.equal((await store.channels.find(teamId, ops))?.lastError, 'HTTP 500 error');
      assert.equal((await store.channels.read(teamId)).lastError, null);
      await service.clock.advance(MINUTE);
      await notifier.told();
      assert.deepEqual(told(chat), { '/default': 1, '/ops': 2 });
      assert.deepEqual(await scene.deliveries(), ['sent']);
    });

    test('whose one channel is given up after an hour has an alert that failed', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat } = scene;
      await using notifier = await startNotifier(service);
      const [ops, pager] = [await scene.add('ops'), await scene.add('pager')];
      chat.answer('/ops', { status: 500 });
      chat.answer('/pager', [{ status: 500 }, { status: 500 }, OK]);
      await scene.run(await scene.makeCron({ failure: [ops, pager] }), 'x');
      for (let minute = 0; minute < 75; minute += 5) {
        await notifier.told();
        await service.clock.advance(5 * MINUTE);
      }
      await notifier.told();
      assert.equal(told(chat)['/pager'], 3);
      assert.deepEqual(await scene.deliveries(), ['failed']);
      assert.deepEqual(await service.store.notices.scanWaiting(), []);
    });
  });

  describe('a channel that is deleted', () => {
    test('is the default again, also for what is still to be sent, and once', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      const { work } = service;
      const [ops, pager] = [await scene.add('ops'), await scene.add('pager')];
      const cronId = await scene.makeCron({ failure: [ops, pager], recovery: ['default', ops] });
      await scene.run(cronId, 'x');
      assert.equal(await work.deleteChannel(teamId, ops), true);
      assert.equal(await work.deleteChannel(teamId, pager), true);
      assert.equal(await work.deleteChannel(teamId, pager), false);
      await using notifier = await startNotifier(service);
      await notifier.told();
      assert.deepEqual(told(chat), { '/default': 1 }, 'what waited for two of them');
      await scene.run(cronId, 'o');
      await notifier.told();
      assert.deepEqual(told(chat), { '/default': 2 }, 'the default and one that is gone');
      assert.deepEqual(await scene.deliveries(), ['sent', 'sent']);
    });
  });

  describe('a queue that names channels', () => {
    test('tells them besides the mails; a burst goes to all of them together', async () => {
      await using scene = await startScene(openTestStore);
      await using smtp = await startSmtpServer();
      const { service, target, chat, teamId } = scene;
      await using notifier = await startNotifier(service, { smtp });
      const ops = await scene.add('ops');
      const mails = await service.work.addChannel(teamId, {
        name: 'everybody',
        config: { kind: 'email' },
      });
      assert.ok(mails.kind === 'saved');
      target.answer('/job', BROKEN);
      await setQueue(service, {
        emailAlerts: true,
        retriesEnabled: false,
        alertSettings: { channels: { failure: [ops, mails.id] } },
      });
      const post = async (count: number) => {
        const before = target.requests.length;
        for (let n = 0; n < count; n++) await scheduleJob(service, { url: `${target.url}/job` });
        await target.waitFor(before + count);
        await service.quiet();
        await notifier.told();
      };
      await post(1);
      assert.deepEqual(told(chat), { '/ops': 1 });
      assert.equal(smtp.mails.length, 1, 'mailed once, though the channel is every member, too');
      await post(5);
      await service.advance(MINUTE);
      await notifier.told();
      assert.deepEqual(told(chat), { '/ops': 2 });
      assert.match(chat.requests[1]?.body.toString() ?? '', /5 jobs of queue/);
      assert.equal(smtp.mails.length, 2);
      assert.ok((await scene.deliveries()).every((delivery) => delivery === 'sent'));
    });
  });

  describe('channels', () => {
    test('of another team are never told, whatever a cron names', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      const stranger = await service.people.operator.createUser({
        email: 'grace@example.com',
        password: 'correct horse battery',
        team: 'Compilers',
      });
      assert.ok(stranger.kind === 'created');
      const theirs = await scene.add('theirs', stranger.teamId);
      const { work } = service;
      assert.equal(await work.findChannel(teamId, theirs), null);
      assert.equal(await work.findChannelConfig(teamId, theirs), null);
      assert.equal(await work.deleteChannel(teamId, theirs), false);
      await using notifier = await startNotifier(service);
      await scene.run(await scene.makeCron({ failure: [theirs] }), 'x');
      await notifier.told();
      assert.deepEqual(told(chat), { '/default': 1 });
    });

    test('do not lead to the same place twice, and have names of their own', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat, teamId } = scene;
      const { work } = service;
      const ops = await scene.add('ops');
      const config = { kind: 'slack', url: `${chat.url}/default` } as const;
      const same = { kind: 'same', as: 'the default channel' };
      assert.deepEqual(await work.addChannel(teamId, { name: 'again', config }), same);
      assert.deepEqual(await work.editChannel(teamId, ops, { name: 'ops', config }), same);
      const opsConfig = { kind: 'slack', url: `${chat.url}/ops` } as const;
      assert.deepEqual(await work.setChannel(teamId, opsConfig), { kind: 'same', as: 'ops' });
      const other = { kind: 'teams', url: `${chat.url}/ops` } as const;
      const taken = await work.addChannel(teamId, { name: 'ops', config: other });
      assert.equal(taken.kind, 'name-taken');
      for (let n = 1; n < 20; n++) await scene.add(`channel-${n}`);
      const full = await work.addChannel(teamId, { name: 'one more', config: other });
      assert.equal(full.kind, 'too-many');
      assert.equal((await work.listChannels(teamId)).length, 21);
      const rows = await service.store.database.read((db) =>
        db.selectFrom('channels').selectAll().execute(),
      );
      assert.doesNotMatch(JSON.stringify(rows), /channel-1"[^}]*http/, 'sealed at rest');
      assert.ok(!JSON.stringify(await work.listChannels(teamId)).includes('/channel-1'));
    });
  });

  if (dialect === 'postgres') {
    test('two nodes that tell two channels of an alert leave it sent', async () => {
      await using scene = await startScene(openTestStore);
      const { service, chat } = scene;
      const ops = await scene.add('ops');
      const cronId = await scene.makeCron({
        failure: ['default', ops],
        recovery: [ops, 'default'],
      });
      await scene.run(cronId, 'xoxoxoxo');
      const other = await service.store.openAnother();
      await using first = await startNotifier(service);
      await using second = await startNotifier(service, { store: other });
      await first.told();
      await second.told();
      assert.deepEqual(told(chat), { '/default': 8, '/ops': 8 });
      assert.deepEqual(new Set(await scene.deliveries()), new Set(['sent']));
    });
  }
});

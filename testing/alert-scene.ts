import assert from 'node:assert/strict';
import { type AlertSettings, NO_ALERT_SETTINGS } from '#domain/alerts/alert-settings';
import type { ChannelConfig, ChatKind } from '#domain/alerts/notification-channel';
import type { WindowSettings } from '#store/alerts/window-rows';
import type { QueueChange } from '#work/resources/queue';
import { startNotifier } from './notifying.ts';
import { type Answer, startReceiver } from './receiver.ts';
import { runCronNow } from './runs.ts';
import { MINUTE, scheduleCron, scheduleJob, setQueue } from './scheduling.ts';
import { startService, type TestServiceOptions } from './service.ts';
import { startSmtpServer } from './smtp.ts';
import { openSqliteTestStore, type OpenTestStore } from './stores.ts';
import { runAlerts, setDefaultChannel } from './factories.ts';

export const OK: Answer = { status: 200, body: 'fine' };
export const BROKEN: Answer = { status: 500, body: 'out of cheese' };

/**
 * A service whose team has a default channel at `/default?key=s3cret`, a target whose answers a test decides, and a
 * mail server. The notifier starts with the first `allSent`. With `mails`, the mail server gets those of accounts, too.
 */
export async function startScene(
  openTestStore: OpenTestStore = openSqliteTestStore,
  { mails = false, ...options }: TestServiceOptions & { mails?: boolean } = {},
) {
  const stack = new AsyncDisposableStack();
  const target = stack.use(await startReceiver());
  const chat = stack.use(await startReceiver());
  const smtp = stack.use(await startSmtpServer());
  const env = { ...options.env, ...(mails && { SMTP_URL: smtp.url }) };
  const service = stack.use(await startService(openTestStore, { ...options, env }));
  const { teamId, work, store, clock } = service;
  const useChat = (kind: ChatKind = 'slack') =>
    setDefaultChannel(store, teamId, { kind, url: `${chat.url}/default?key=s3cret` });
  await useChat();
  let opened: ReturnType<typeof startNotifier> | null = null;
  const notifier = async () => {
    opened ??= startNotifier(service, { smtp }).then((each) => stack.use(each));
    return opened;
  };
  const allSent = async () => (await notifier()).allSent();
  /**
   * In steps between which the notifier sends all that is due: time that passes during a request would end it by its
   * timeout. Within a step each timer fires once, as after a standstill: the hours of many timers would take long.
   */
  const wait = async (ms: number) => {
    const until = clock.now() + ms;
    await allSent();
    while (clock.now() < until) {
      await clock.freeze(Math.min(5 * MINUTE, until - clock.now()));
      await allSent();
    }
  };
  const addChannel = async (
    name: string,
    config: ChannelConfig,
    {
      collectMinutes = null,
      team = teamId,
    }: { collectMinutes?: number | null; team?: string } = {},
  ) => {
    const outcome = await work.addChannel(team, { name, config, collectMinutes });
    assert.ok(outcome.kind === 'saved');
    return outcome.id;
  };
  const makeCron = async (
    fields: Record<string, unknown> = {},
    settings: Partial<AlertSettings> = {},
  ) => {
    // An active one's next run is too far away to disturb, should the engine plan it again.
    const usual = { cron_expression: '0 0 1 7 *', is_active: false, alert_threshold: 1 };
    const paused = { url: `${target.url}/cron`, ...usual, ...fields };
    const { id } = await scheduleCron(service, paused);
    if (Object.keys(settings).length === 0) return id;
    const cron = await store.crons.find(teamId, id);
    assert.ok(cron);
    const alertSettings = { ...cron.alertSettings, ...settings };
    const state = { pause: { isPaused: !paused.is_active }, now: clock.now() };
    await store.crons.update(teamId, id, { ...cron, alertSettings }, state);
    return id;
  };
  return {
    service,
    target,
    chat,
    smtp,
    teamId,
    useChat,
    /** Waits until all due notifications were sent or tried. */
    allSent,
    wait,
    /** Waits up to this long, until the chat has got so many posts. */
    waitForPosts: async (count: number, mostMs: number) => {
      const until = clock.now() + mostMs;
      while (chat.requests.length < count && clock.now() < until) await wait(5 * MINUTE);
      assert.equal(chat.requests.length, count);
    },
    sendTest: async (config: ChannelConfig, channelId: string | null = null) =>
      (await notifier()).notifier.sendTest(teamId, config, channelId),
    addChannel,
    /** Adds a Slack channel whose posts go to the path with its name. */
    add: (name: string, options?: Parameters<typeof addChannel>[2]) =>
      addChannel(name, { kind: 'slack', url: `${chat.url}/${name}` }, options),
    makeCron,
    /** Makes a cron with these channels and without a next run, also if it is active. */
    makeCronFor: (
      channels: Partial<AlertSettings['channels']>,
      fields: Record<string, unknown> = {},
      settings: Partial<AlertSettings> = {},
    ) =>
      makeCron(fields, {
        ...settings,
        channels: { ...NO_ALERT_SETTINGS.channels, ...channels },
      }),
    /** Makes a maintenance window of so many minutes, from now on if nothing else is said. */
    mute: (
      minutes: number,
      {
        name = 'Night',
        inMinutes = 0,
        ...more
      }: Partial<WindowSettings> & { inMinutes?: number } = {},
    ) => {
      const startsAt = clock.now() + inMinutes * MINUTE;
      const times = { startsAt, endsAt: startsAt + minutes * MINUTE, isWeekly: false };
      return store.windows.create(teamId, { name, covers: 'team', ...times, ...more }, clock.now());
    },
    /** Runs a cron now, once for each letter: `x` is answered with 500, `o` with 200. */
    run: async (cronId: string, outcomes: string) => {
      for (const each of outcomes) {
        target.answer('/cron', each === 'o' ? OK : BROKEN);
        await runCronNow(service, cronId);
      }
    },
    /** Waits until this many jobs of queue “emails” have failed for good. */
    failJobs: async (count = 1, settings: QueueChange = {}) => {
      target.answer('/job', BROKEN);
      await setQueue(service, { emailAlerts: true, retriesEnabled: false, ...settings });
      const before = target.requests.length;
      for (let n = 0; n < count; n++) await scheduleJob(service, { url: `${target.url}/job` });
      await target.waitFor(before + count);
      await service.quiet();
    },
    alerts: async () => (await runAlerts(store, teamId, { limit: 100 })).toReversed(),
    levels: async () =>
      (await runAlerts(store, teamId, { limit: 100 }))
        .toReversed()
        .map(({ level }) => level)
        .join(' '),
    deliveries: async () =>
      (await runAlerts(store, teamId, { limit: 100 })).toReversed().map(({ delivery }) => delivery),
    /** The titles that a chat got, of all posts or of those to a path. */
    titles: (path?: string) =>
      chat.requests
        .filter(({ url }) => path === undefined || url === path)
        .map(({ body }) => (JSON.parse(body.toString()) as { text: string }).text),
    posts: () => {
      const byPath = Map.groupBy(chat.requests, ({ url }) => url.split('?', 1)[0] ?? '');
      return Object.fromEntries([...byPath].map(([path, posts]) => [path, posts.length] as const));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

import { pause } from '#domain/base/clock';
import { Repeating } from '#domain/base/repeating';
import type { ChannelConfig } from '#domain/alerts/notification-channel';
import { writeTestMessage } from './compose.ts';
import { deliver, type Delivery } from './deliver.ts';
import { notifyTeam, type SendingTools } from './sending.ts';
import { planSteps } from './steps.ts';

interface NotifierOptions extends SendingTools {
  /** Null: no limit. Without this function no usage alerts are raised (§6.7). */
  monthlyLimitOf?: (plan: string) => number | null;
}

/** A chat that hangs doesn't delay other teams. */
const MAX_TEAMS_AT_ONCE = 20;
const LONGEST_SLEEP_MS = 5_000;
const STORE_DOWN_PAUSE_MS = 1_000;

export type Notifier = ReturnType<typeof createNotifier>;

export function createNotifier(options: NotifierOptions) {
  const { store, log } = options;
  const { clock, notifications, signals } = store;
  const sendings = new Map<string, Promise<void>>();
  /** Monotonic: a clock that was set back must not delay alerts. */
  let raiseTimedAtMs = 0;
  let stopListening = () => {};

  const look = async () => {
    if (clock.monotonicMs() >= raiseTimedAtMs) {
      raiseTimedAtMs = clock.monotonicMs() + LONGEST_SLEEP_MS;
      await raiseTimed(options);
    }
    const raiseTimedInMs = raiseTimedAtMs - clock.monotonicMs();
    const lookAgainAt = Math.min(await sendToTeams(), clock.now() + raiseTimedInMs);
    return Math.max(0, lookAgainAt - clock.now());
  };
  const looks = new Repeating(clock, log, 'notifications.not-read', look, STORE_DOWN_PAUSE_MS);

  /** @returns when to look again at the latest */
  const sendToTeams = async () => {
    const now = clock.now();
    let lookAgainAt = now + LONGEST_SLEEP_MS;
    for (const { teamId, nextDueAt } of await notifications.scanWaiting()) {
      // The end of that sending wakes the notifier again.
      if (sendings.has(teamId)) continue;
      if (nextDueAt > now) lookAgainAt = Math.min(lookAgainAt, nextDueAt);
      else if (sendings.size < MAX_TEAMS_AT_ONCE && !looks.isStopped) startSending(teamId);
    }
    return lookAgainAt;
  };

  const startSending = (teamId: string) => {
    const sending = notifyTeam(options, teamId, () => looks.isStopped)
      .catch((error: unknown) => {
        log.error('notifications.lane-failed', { teamId, error });
        // Notifications stay due while the store is unavailable; without a pause it would be queried in a loop.
        return looks.isStopped ? undefined : pause(clock, STORE_DOWN_PAUSE_MS);
      })
      .finally(() => {
        sendings.delete(teamId);
        looks.wake();
      });
    sendings.set(teamId, sending);
  };

  return {
    async start(): Promise<void> {
      stopListening = signals.listen(({ kind }) => {
        if (kind === 'notifications' || kind === 'unknown') looks.wake();
      });
      looks.start();
    },
    async stop(graceMs: number): Promise<void> {
      stopListening();
      await new Promise<void>((resolve) => {
        const cancelGrace = clock.after(graceMs, resolve);
        void Promise.all([looks.stop(), ...sendings.values()]).then(() => {
          cancelGrace();
          resolve();
        });
      });
    },
    isQuiet: () => !looks.isRunning && sendings.size === 0,
    /** Also in a process that only serves pages, and so never starts the notifier. */
    sendTest: (teamId: string, config: ChannelConfig, channelId?: string | null) =>
      sendTest(options, teamId, config, channelId),
  };
}

/** Alerts that depend on time: ends of windows (§6.6), reminders (§6.5), queues (§6.4) and usage (§6.7). */
async function raiseTimed({ store, monthlyLimitOf }: NotifierOptions): Promise<void> {
  const { alerts, clock, windows } = store;
  const now = clock.now();
  await windows.notifyEnds();
  await alerts.raiseReminders(now);
  await alerts.checkQueues(now);
  if (monthlyLimitOf) await alerts.raiseUsage(now, monthlyLimitOf);
}

/**
 * The channel need not be saved. The kind `email` goes to every member (§6.5), `email-addresses` to the addresses that
 * are confirmed in the stored channel.
 */
export async function sendTest(
  tools: SendingTools,
  teamId: string,
  config: ChannelConfig,
  channelId: string | null = null,
): Promise<Delivery> {
  const { channels, teams } = tools.store;
  const team = await teams.find(teamId);
  const message = writeTestMessage({ teamId, teamName: team?.name ?? '' }, tools.baseUrl);
  const stored = channelId === null ? null : await channels.find(teamId, channelId);
  const addresses = (stored?.addresses ?? []).filter(
    ({ email }) => config.kind === 'email-addresses' && config.addresses.includes(email),
  );
  const onlyVerified = tools.mailer.sends;
  const members = await channels.listMemberAddresses(teamId, { onlyVerified });
  const recipients = { targets: ['channel'], areMembersNotified: false } as const;
  let outcome: Delivery = { kind: 'sent' };
  // Stops at the first failure: a person is waiting, and a server that is down refuses every mail.
  for (const step of planSteps(recipients, { config, addresses }, members)) {
    outcome = await deliver(tools, step, message);
    if (outcome.kind === 'failed') break;
  }
  return outcome;
}

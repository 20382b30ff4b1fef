import { pause } from '#domain/base/clock';
import { Repeating } from '#domain/base/repeating';
import type { ChannelConfig } from '#domain/alerts/notification-channel';
import type { Store } from '#store/store';
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

export class Notifier {
  readonly name = 'notifier';
  readonly #options: NotifierOptions;
  readonly #store: Store;
  readonly #sendings = new Map<string, Promise<void>>();
  /** Monotonic: a clock that was set back must not delay alerts. */
  #raiseTimedAtMs = 0;
  readonly #looks: Repeating;
  #stopListening = () => {};

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#store = options.store;
    const { store, log } = options;
    const look = () => this.#look();
    this.#looks = new Repeating(
      store.clock,
      log,
      'notifications.not-read',
      look,
      STORE_DOWN_PAUSE_MS,
    );
  }

  /** A process that only serves pages doesn't call it, and can still send tests. */
  async start(): Promise<void> {
    this.#stopListening = this.#store.signals.listen(({ kind }) => {
      if (kind === 'notifications' || kind === 'unknown') this.#looks.wake();
    });
    this.#looks.start();
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopListening();
    await new Promise<void>((resolve) => {
      const cancelGrace = this.#store.clock.after(graceMs, resolve);
      void Promise.all([this.#looks.stop(), ...this.#sendings.values()]).then(() => {
        cancelGrace();
        resolve();
      });
    });
  }

  isQuiet(): boolean {
    return !this.#looks.isRunning && this.#sendings.size === 0;
  }

  /**
   * The channel need not be saved. The kind `email` goes to every member (§6.5), `email-addresses` to the addresses
   * that are confirmed in the stored channel.
   */
  async sendTest(
    teamId: string,
    config: ChannelConfig,
    channelId: string | null = null,
  ): Promise<Delivery> {
    const { channels, teams } = this.#store;
    const team = await teams.find(teamId);
    const message = writeTestMessage({ teamId, teamName: team?.name ?? '' }, this.#options.baseUrl);
    const stored = channelId === null ? null : await channels.find(teamId, channelId);
    const addresses = (stored?.addresses ?? []).filter(
      ({ email }) => config.kind === 'email-addresses' && config.addresses.includes(email),
    );
    const onlyVerified = this.#options.mailer.sends;
    const members = await channels.listMemberAddresses(teamId, { onlyVerified });
    const recipients = { targets: ['channel'], areMembersNotified: false } as const;
    let outcome: Delivery = { kind: 'sent' };
    // Stops at the first failure: a person is waiting, and a server that is down refuses every mail.
    for (const step of planSteps(recipients, { config, addresses }, members)) {
      outcome = await deliver(this.#options, step, message);
      if (outcome.kind === 'failed') break;
    }
    return outcome;
  }

  async #look(): Promise<number> {
    const { clock } = this.#store;
    await this.#raiseTimed();
    const raiseTimedInMs = this.#raiseTimedAtMs - clock.monotonicMs();
    const lookAgainAt = Math.min(await this.#sendToTeams(), clock.now() + raiseTimedInMs);
    return Math.max(0, lookAgainAt - clock.now());
  }

  /** Alerts that depend on time: ends of windows (§6.6), reminders (§6.5), queues (§6.4) and usage (§6.7). */
  async #raiseTimed(): Promise<void> {
    const { clock, windows, alerts } = this.#store;
    if (clock.monotonicMs() < this.#raiseTimedAtMs) return;
    this.#raiseTimedAtMs = clock.monotonicMs() + LONGEST_SLEEP_MS;
    const now = clock.now();
    await windows.notifyEnds();
    await alerts.raiseReminders(now);
    await alerts.checkQueues(now);
    const { monthlyLimitOf } = this.#options;
    if (monthlyLimitOf) await alerts.raiseUsage(now, monthlyLimitOf);
  }

  /** @returns when to look again at the latest */
  async #sendToTeams(): Promise<number> {
    const now = this.#store.clock.now();
    let lookAgainAt = now + LONGEST_SLEEP_MS;
    for (const { teamId, nextDueAt } of await this.#store.notifications.scanWaiting()) {
      // The end of that sending wakes the notifier again.
      if (this.#sendings.has(teamId)) continue;
      if (nextDueAt > now) lookAgainAt = Math.min(lookAgainAt, nextDueAt);
      else if (this.#sendings.size < MAX_TEAMS_AT_ONCE && !this.#looks.isStopped)
        this.#startSending(teamId);
    }
    return lookAgainAt;
  }

  #startSending(teamId: string): void {
    const sending = notifyTeam(this.#options, teamId, () => this.#looks.isStopped)
      .catch((error: unknown) => {
        this.#options.log.error('notifications.lane-failed', { teamId, error });
        // Notifications stay due while the store is unavailable; without a pause it would be queried in a loop.
        return this.#looks.isStopped ? undefined : pause(this.#store.clock, STORE_DOWN_PAUSE_MS);
      })
      .finally(() => {
        this.#sendings.delete(teamId);
        this.#looks.wake();
      });
    this.#sendings.set(teamId, sending);
  }
}

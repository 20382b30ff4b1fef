import type { Clock } from '#domain/base/clock';
import {
  Connection,
  type ConnectionSettings,
  type ConnectionUser,
  ServiceStopping,
} from './connection.ts';
import type { Site } from './target.ts';

/** The target's hint can shorten this. */
const IDLE_MS = 4_000;
/** Closed this much earlier than the target's hint. */
const HINT_MARGIN_MS = 1_000;
const SWEEP_MS = 1_000;
const MAX_IDLE = 512;

/**
 * Idle connections by site and address, limited over all sites.
 *
 * After a response a connection rests until the event loop has polled the network once more. Many targets close their
 * end right after the last bytes. A request written before we see that would be lost, and must not be sent again.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #settings: ConnectionSettings;
  readonly #all = new Set<Connection>();
  #idleCount = 0;
  /** The last used is at the end. */
  readonly #rested = new WeakMap<Site, Connection[]>();
  /** Released since the last iteration of the event loop, and in the one before. */
  #resting: Connection[] = [];
  #restingBefore: Connection[] = [];
  #isIterationAwaited = false;
  #cancelSweep: (() => void) | null = null;
  #isClosed = false;

  constructor(clock: Clock, settings: Omit<ConnectionSettings, 'onClosed'>) {
    this.#clock = clock;
    const onClosed = (connection: Connection, wasIdle: boolean) => {
      this.#all.delete(connection);
      if (wasIdle) this.#forgetIdle(connection);
    };
    this.#settings = { ...settings, onClosed };
  }

  /** May still be resting. */
  take(site: Site, address: string, user: ConnectionUser): Connection | null {
    const nowMs = this.#clock.monotonicMs();
    const isUsable = (connection: Connection) =>
      connection.isIdle &&
      connection.site === site &&
      connection.address === address &&
      connection.idleUntilMs > nowMs;
    const connection =
      this.#rested.get(site)?.findLast(isUsable) ??
      this.#restingBefore.find(isUsable) ??
      this.#resting.find(isUsable);
    if (connection === undefined) return null;
    this.#forgetIdle(connection);
    connection.take(user);
    return connection;
  }

  /** Null if the service is stopping. */
  open(site: Site, address: string, user: ConnectionUser): Connection | null {
    if (this.#isClosed) return null;
    const connection = new Connection(site, address, this.#settings, user);
    this.#all.add(connection);
    return connection;
  }

  /** After the response was read to its end. */
  release(connection: Connection): void {
    const { idleSeconds } = connection.parser;
    const hintMs = idleSeconds === null ? IDLE_MS : idleSeconds * 1000 - HINT_MARGIN_MS;
    if (hintMs <= 0 || !connection.isReusable) return connection.destroy();
    connection.release(this.#clock.monotonicMs() + Math.min(IDLE_MS, hintMs));
    this.#resting.push(connection);
    this.#awaitIteration();
    this.#cancelSweep ??= this.#clock.after(SWEEP_MS, () => this.#sweep());
    if (++this.#idleCount > MAX_IDLE) this.#dropOldest();
  }

  closeAll(): void {
    this.#isClosed = true;
    for (const connection of this.#all) connection.close(new ServiceStopping());
    this.#cancelSweep?.();
  }

  /** The event loop polls the network once between two calls. */
  #iterate(): void {
    const awake = this.#restingBefore;
    this.#restingBefore = this.#resting;
    this.#resting = [];
    this.#isIterationAwaited = false;
    if (this.#restingBefore.length > 0) this.#awaitIteration();
    for (const connection of awake) {
      connection.wake();
      if (!connection.isIdle) continue;
      const rested = this.#rested.get(connection.site);
      if (rested === undefined) this.#rested.set(connection.site, [connection]);
      else rested.push(connection);
    }
  }

  #awaitIteration(): void {
    if (this.#isIterationAwaited) return;
    this.#isIterationAwaited = true;
    setImmediate(() => this.#iterate());
  }

  #sweep(): void {
    this.#cancelSweep = null;
    const nowMs = this.#clock.monotonicMs();
    for (const connection of this.#all) {
      if (connection.isIdle && connection.idleUntilMs <= nowMs) connection.destroy();
    }
    if (this.#idleCount > 0) this.#cancelSweep = this.#clock.after(SWEEP_MS, () => this.#sweep());
  }

  #dropOldest(): void {
    let oldest: Connection | null = null;
    for (const connection of this.#all) {
      const isOlder = oldest === null || connection.idleUntilMs < oldest.idleUntilMs;
      if (connection.isIdle && isOlder) oldest = connection;
    }
    oldest?.destroy();
  }

  #forgetIdle(connection: Connection): void {
    this.#idleCount--;
    const rested = this.#rested.get(connection.site);
    const at = rested?.lastIndexOf(connection) ?? -1;
    if (at !== -1) rested?.splice(at, 1);
  }
}

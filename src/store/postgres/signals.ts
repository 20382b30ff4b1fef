import type pg from 'pg';
import type { Clock } from '#domain/base/clock';
import { FaultLog } from '#domain/base/fault-log';
import type { Log } from '#domain/base/log';
import { newId } from '#domain/base/ids';
import type { Database } from '../database/database.ts';
import { isSignal, LocalSignals, type Signal, type SignalBus } from '../database/signals.ts';
import { makeClient } from './pooling.ts';

/** NOTIFY takes at most 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_000;
const GATHER_MS = 2;
/** Nothing else is sent on it, so its death would go unnoticed. */
const CHECK_EVERY_MS = 10_000;
const CHECK_LIMIT_MS = 5_000;
const RECONNECT_MS = [100, 250, 500, 1000, 2000, 5000];
const RESEND_MS = [100, 250, 500, 1000];

/**
 * LISTEN and NOTIFY, on a connection of their own. Signals sent while it is down are lost; after a reconnect every
 * engine looks for itself.
 */
export class PostgresSignals implements SignalBus {
  readonly #local = new LocalSignals();
  readonly #origin: string;
  readonly #url: string;
  readonly #channel: string;
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Log;
  #client: pg.Client | null = null;
  /** A broken one may be detected twice. */
  readonly #replaced = new WeakSet<pg.Client>();
  #closed = false;
  readonly #gathered = new Map<string, Signal>();
  #cancel: (() => void) | null = null;
  #sending: Promise<void> | null = null;
  #failures = 0;
  readonly #connectFaults: FaultLog;
  #cancelCheck: (() => void) | null = null;

  /** @param at each schema has its own channel */
  constructor(at: { url: string; schema?: string }, db: Database, clock: Clock, log: Log) {
    this.#origin = newId(clock.now());
    this.#url = at.url;
    this.#channel = [undefined, 'public'].includes(at.schema) ? 'belfry' : `belfry_${at.schema}`;
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#connectFaults = new FaultLog(clock, log, 'signals.connection-failed');
  }

  /** Without it, signals are only sent. */
  start(): void {
    void this.#connect(0);
  }

  send(signals: readonly Signal[]): void {
    if (signals.length === 0) return;
    this.#local.send(signals);
    for (const signal of signals) this.#gather(signal);
    this.#sendLater(GATHER_MS);
  }

  listen(listener: (signal: Signal) => void): () => void {
    return this.#local.listen(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelCheck?.();
    this.#cancel?.();
    await this.#sending;
    if (this.#gathered.size > 0) await this.#sendGathered();
    await this.#client?.end().catch(() => {});
  }

  /** Signals that arrive meanwhile go with the next batch. */
  #sendLater(inMs: number): void {
    if (this.#sending !== null || this.#cancel !== null) return;
    this.#cancel = this.#clock.after(inMs, () => {
      this.#cancel = null;
      this.#sending = this.#sendGathered().then(() => {
        this.#sending = null;
        if (this.#gathered.size === 0 || this.#closed) return;
        const pause = RESEND_MS[Math.min(this.#failures, RESEND_MS.length) - 1];
        this.#sendLater(pause ?? GATHER_MS);
      });
    });
  }

  /** In place of unsent ones, every engine looks for itself later. Never rejects. */
  async #sendGathered(): Promise<void> {
    const signals = [...this.#gathered.values()];
    this.#gathered.clear();
    try {
      for (const part of inParts(signals)) await this.#notify([this.#origin, ...part]);
      if (this.#failures > 0) this.#log.info('signals.sent-after-all');
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0) {
        this.#log.warn('signals.not-sent', { error: (error as Error).message });
      }
      this.#failures++;
      this.#gather({ kind: 'unknown' });
    }
  }

  /** On the listening connection, which is idle; without one, on any. */
  async #notify(payload: readonly [origin: string, ...signals: Signal[]]): Promise<void> {
    const text = 'select pg_notify($1, $2)';
    const values = [this.#channel, JSON.stringify(payload)];
    if (this.#client === null) await this.#db.autocommit(text, values);
    else await this.#client.query({ name: 'notify', text, values });
  }

  /** The earliest per group. */
  #gather(signal: Signal): void {
    const key =
      'queueId' in signal
        ? signal.kind + signal.queueId
        : signal.kind + ('teamId' in signal ? signal.teamId : '');
    const known = this.#gathered.get(key);
    const isLater = known && 'dueAt' in known && 'dueAt' in signal && known.dueAt <= signal.dueAt;
    if (!isLater) this.#gathered.set(key, signal);
  }

  async #connect(attempt: number): Promise<void> {
    if (this.#closed) return;
    const client = makeClient(this.#url, 'signals');
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${this.#channel}`);
      // A lost signal is only a hint; the job is on disk.
      await client.query('set synchronous_commit = off');
      this.#client = client;
      // Not earlier: a connection that is refused ends too, and the pauses would not grow.
      client.once('end', () => this.#reconnect(client, 0));
      this.#connectFaults.worked();
      if (this.#closed) return await client.end();
      this.#local.send([{ kind: 'unknown' }]);
      this.#checkLater(client);
    } catch (error) {
      this.#connectFaults.failed(error);
      this.#reconnect(client, attempt + 1);
      await client.end().catch(() => {});
    }
  }

  #checkLater(client: pg.Client): void {
    const dueMs = this.#clock.monotonicMs() + CHECK_EVERY_MS;
    this.#cancelCheck = this.#clock.after(CHECK_EVERY_MS, () => void this.#check(client, dueMs));
  }

  /** Also if it is much too late: after a freeze the server's messages may have filled the connection. */
  async #check(client: pg.Client, dueMs: number): Promise<void> {
    if (this.#client !== client || this.#closed) return;
    try {
      const lateMs = this.#clock.monotonicMs() - dueMs;
      if (lateMs > CHECK_LIMIT_MS) throw new Error(`asked ${Math.round(lateMs)} ms late`);
      await client.query('select 1');
      this.#checkLater(client);
    } catch (error) {
      this.#log.warn('signals.connection-silent', { error: (error as Error).message });
      this.#reconnect(client, 0);
      await client.end().catch(() => {});
    }
  }

  #reconnect(client: pg.Client, attempt: number): void {
    if (this.#closed || this.#replaced.has(client)) return;
    this.#replaced.add(client);
    client.removeAllListeners('notification');
    if (this.#client === client) this.#client = null;
    const waitMs = RECONNECT_MS[Math.min(attempt, RECONNECT_MS.length - 1)] ?? 5000;
    this.#clock.after(waitMs, () => void this.#connect(attempt));
  }

  #receive(payload: string): void {
    try {
      const [origin, ...signals] = JSON.parse(payload) as [string, ...unknown[]];
      if (!signals.every(isSignal)) throw new Error('not what a node says');
      if (origin !== this.#origin) this.#local.send(signals);
    } catch {
      // Anyone on this database may notify.
      this.#local.send([{ kind: 'unknown' }]);
    }
  }
}

function inParts(signals: readonly Signal[]): Signal[][] {
  const parts: Signal[][] = [];
  let bytes = MAX_PAYLOAD_BYTES;
  for (const signal of signals) {
    const length = JSON.stringify(signal).length + 1;
    if (bytes + length > MAX_PAYLOAD_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(signal);
    bytes += length;
  }
  return parts;
}

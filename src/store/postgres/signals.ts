import { CompiledQuery } from 'kysely';
import pg from 'pg';
import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import { newId } from '#domain/ids';
import type { Database } from '../database/database.ts';
import { isSignal, LocalSignals, type Signal, type SignalBus } from '../database/signals.ts';

/** NOTIFY takes at most 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_000;
const GATHER_MS = 2;
/** How often the listening connection is checked: nothing else is sent on it, so its death would go unnoticed. */
const CHECK_EVERY_MS = 10_000;
const CHECK_LIMIT_MS = 5_000;
const RECONNECT_MS = [100, 250, 500, 1000, 2000, 5000];
/** The pauses before unsent signals are tried again. */
const RESEND_MS = [100, 250, 500, 1000];
/**
 * While signals can't be sent, one is kept per flow. Beyond this number of flows they become one signal of unknown
 * content.
 */
const MOST_KEPT = 10_000;

/**
 * Signals across all processes on one Postgres, by LISTEN and NOTIFY. They arrive on a connection of their own. Signals
 * that are sent while it is down are lost; after a reconnect a signal of unknown content makes every engine look for
 * itself. Signals that can't be sent are kept until the database answers.
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
  /** Connections that were replaced already: a broken one may be detected twice, by its end and by the check. */
  readonly #replaced = new WeakSet<pg.Client>();
  #closed = false;
  #gathered = new Map<string, Signal>();
  #cancel: (() => void) | null = null;
  #sending: Promise<void> | null = null;
  /** How many tries to send have failed in a row. */
  #failures = 0;
  #cancelCheck: (() => void) | null = null;

  /** @param at each schema of a database has its own channel */
  constructor(at: { url: string; schema?: string }, db: Database, clock: Clock, log: Log) {
    this.#origin = newId(clock.now());
    this.#url = at.url;
    this.#channel = [undefined, 'public'].includes(at.schema) ? 'belfry' : `belfry_${at.schema}`;
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  /** Starts listening. Without this call signals are only sent. */
  start(): void {
    void this.#connect(0);
  }

  send(signals: readonly Signal[]): void {
    if (signals.length === 0) return;
    this.#local.send(signals);
    for (const signal of signals) this.#gather(signal);
    this.#sendLater(GATHER_MS);
  }

  listen(hear: (signal: Signal) => void): () => void {
    return this.#local.listen(hear);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelCheck?.();
    this.#cancel?.();
    await this.#sending;
    if (this.#gathered.size > 0) await this.#sendGathered();
    await this.#client?.end().catch(() => {});
  }

  /** Sends one batch at a time; signals that arrive meanwhile are merged and go with the next. */
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

  /** Sends the gathered signals. Unsent ones are gathered again. Never rejects. */
  async #sendGathered(): Promise<void> {
    const unsent = new Set(this.#gathered.values());
    this.#gathered.clear();
    try {
      for (const part of inParts([...unsent])) {
        const payload = JSON.stringify([this.#origin, ...part]);
        await this.#notify(payload);
        for (const signal of part) unsent.delete(signal);
      }
      if (this.#failures > 0) this.#log.info('signals.sent-after-all');
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0) {
        this.#log.warn('signals.not-sent', { error: (error as Error).message });
      }
      this.#failures++;
      for (const signal of unsent) this.#gather(signal);
    }
  }

  /**
   * Sends on the listening connection, which is idle and does not wait for the disk; without one, as in a command, on
   * any.
   */
  async #notify(payload: string): Promise<void> {
    const text = 'select pg_notify($1, $2)';
    const values = [this.#channel, payload];
    if (this.#client === null) await this.#db.autocommit(CompiledQuery.raw(text, values));
    else await this.#client.query(bounded({ name: 'notify', text, values }));
  }

  /** Keeps one signal per flow: the earliest. */
  #gather(signal: Signal): void {
    const key =
      'queueId' in signal
        ? signal.kind + signal.queueId
        : signal.kind + ('teamId' in signal ? signal.teamId : '');
    const known = this.#gathered.get(key);
    const isLater = known && 'dueAt' in known && 'dueAt' in signal && known.dueAt <= signal.dueAt;
    if (!isLater) this.#gathered.set(key, signal);
    if (this.#gathered.size > MOST_KEPT)
      this.#gathered = new Map([['unknown', { kind: 'unknown' }]]);
  }

  async #connect(attempt: number): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 5_000,
      application_name: 'belfry signals',
    });
    client.on('error', () => {});
    client.once('end', () => this.#reconnect(client, 0));
    client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
    try {
      await client.connect();
      await client.query(bounded({ text: `listen ${this.#channel}` }));
      // A signal that a crash of the server loses is a hint; its job is on the disk.
      await client.query(bounded({ text: 'set synchronous_commit = off' }));
      this.#client = client;
      if (this.#closed) return await client.end();
      this.#local.send([{ kind: 'unknown' }]);
      this.#checkLater(client);
    } catch (error) {
      this.#log.warn('signals.connection-failed', { error: (error as Error).message });
      this.#reconnect(client, attempt + 1);
      await client.end().catch(() => {});
    }
  }

  #checkLater(client: pg.Client): void {
    const dueMs = this.#clock.monotonicMs() + CHECK_EVERY_MS;
    this.#cancelCheck = this.#clock.after(CHECK_EVERY_MS, () => void this.#check(client, dueMs));
  }

  /**
   * Replaces a connection that does not answer, or that is checked much too late. If this process was frozen, the
   * server's messages may have filled the connection, and TCP may wait for as long again.
   */
  async #check(client: pg.Client, dueMs: number): Promise<void> {
    if (this.#client !== client || this.#closed) return;
    try {
      const lateMs = this.#clock.monotonicMs() - dueMs;
      if (lateMs > CHECK_LIMIT_MS) throw new Error(`asked ${Math.round(lateMs)} ms late`);
      await client.query(bounded({ text: 'select 1' }));
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

  #hear(payload: string): void {
    try {
      const [origin, ...signals] = JSON.parse(payload) as [string, ...unknown[]];
      if (!signals.every(isSignal)) throw new Error('not what a node says');
      if (origin !== this.#origin) this.#local.send(signals);
    } catch {
      // Anyone on this database may notify. An unknown message still means that something happened.
      this.#local.send([{ kind: 'unknown' }]);
    }
  }
}

/** A query that is given up if no answer comes in time. */
function bounded(query: pg.QueryConfig): pg.QueryConfig {
  return Object.assign(query, { query_timeout: CHECK_LIMIT_MS });
}

/** Splits signals into parts that each fit into one NOTIFY. */
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

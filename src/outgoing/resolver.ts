import { Resolver, type RecordWithTtl } from 'node:dns';
import type { Clock } from '#domain/base/clock';
import type { LiveClock } from './live-clock.ts';
import { openHostsFile } from './hosts-file.ts';

/** Of one lookup, and of its first try with one server. */
const LOOKUP_MS = 5_000;
const FIRST_TRY_MS = 1_200;
const TRIES = 2;
/** Even if the answer's lifetime is longer. */
const MAX_TTL_MS = 60_000;
/** For the hosts file, and for names without an address. */
const HOSTS_TTL_MS = 5_000;
const NO_ADDRESS_TTL_MS = 5_000;
/** RFC 9520 requires at least a second. */
const FAILURE_TTL_MS = 1_000;
const MAX_NAMES = 4_096;
const MAX_ADDRESSES = 64;

interface ResolverOptions {
  clock: Clock;
  /** For the servers' time limit. */
  liveClock: LiveClock;
  /** `ip` or `ip:port`; empty: the system's. */
  dnsServers: readonly string[];
  /** Default: `/etc/hosts`. */
  hostsPath?: string;
}

interface Remembered {
  /** Null if the name has none, or no server answered. */
  addresses: readonly string[] | null;
  untilMs: number;
}

/** A server answered that the name or its A records don't exist. */
export const NO_ADDRESS: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * First looks in the hosts file, then asks DNS for A records (the server follows CNAMEs). Uses c-ares, never the four
 * threads that the process shares.
 *
 * Every lookup has its own channel (13 µs). On a shared one, a malformed answer fails all other lookups, and a silent
 * server delays them.
 */
export class NameResolver {
  readonly #clock: Clock;
  readonly #liveClock: LiveClock;
  readonly #dnsServers: readonly string[];
  readonly #findInHosts: ReturnType<typeof openHostsFile>;
  readonly #remembered = new Map<string, Remembered>();
  readonly #underWay = new Map<string, Promise<readonly string[] | null>>();
  readonly #channels = new Set<Resolver>();

  constructor({ clock, liveClock, dnsServers, hostsPath }: ResolverOptions) {
    this.#clock = clock;
    this.#liveClock = liveClock;
    this.#dnsServers = dnsServers;
    this.#findInHosts = openHostsFile(clock, hostsPath);
  }

  /** Undefined if a lookup is needed. */
  recall(name: string): readonly string[] | null | undefined {
    if (isLocalhost(name)) return LOCALHOST;
    const known = this.#remembered.get(name);
    if (known === undefined) return undefined;
    if (known.untilMs > this.#clock.monotonicMs()) return known.addresses;
    this.#remembered.delete(name);
    return undefined;
  }

  /** Null if there is none or no server answers in time. Never rejects. Simultaneous calls share a lookup. */
  find(name: string): Promise<readonly string[] | null> {
    const known = this.recall(name);
    if (known !== undefined) return Promise.resolve(known);
    const underWay = this.#underWay.get(name);
    if (underWay !== undefined) return underWay;
    const lookup = this.#lookUp(name).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, lookup);
    return lookup;
  }

  /** Cancels lookups in progress; each returns null. */
  close(): void {
    for (const channel of this.#channels) channel.cancel();
  }

  async #lookUp(name: string): Promise<readonly string[] | null> {
    const listed = await this.#findInHosts(name);
    if (listed !== null) return this.#remember(name, listed, HOSTS_TTL_MS);
    const answer = await this.#ask(name);
    if (answer === 'no-address') return this.#remember(name, null, NO_ADDRESS_TTL_MS);
    if (answer === 'failed') return this.#remember(name, null, FAILURE_TTL_MS);
    const seconds = Math.min(...answer.map(({ ttl }) => ttl));
    const addresses = answer.map(({ address }) => address);
    const forMs = Math.min(seconds * 1000, MAX_TTL_MS);
    // An address beyond the limit could be blocked, so the name counts as not resolvable.
    return this.#remember(name, addresses.length > MAX_ADDRESSES ? null : addresses, forMs);
  }

  #remember<T extends readonly string[] | null>(name: string, addresses: T, forMs: number): T {
    if (forMs <= 0) return addresses;
    if (this.#remembered.size >= MAX_NAMES) {
      const [oldest] = this.#remembered.keys();
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    this.#remembered.set(name, { addresses, untilMs: this.#clock.monotonicMs() + forMs });
    return addresses;
  }

  async #ask(name: string): Promise<Answer> {
    const stoodStillMs = this.#liveClock.stoodStillMs;
    const answer = await this.#askFor(name, TRIES);
    // c-ares counts time while the process is blocked, and gives up although the answer has arrived.
    const isReliable = answer !== 'failed' || this.#liveClock.stoodStillMs === stoodStillMs;
    return isReliable ? answer : this.#askFor(name, 1);
  }

  #askFor(name: string, tries: number): Promise<Answer> {
    return new Promise((resolve) => {
      try {
        const channel = new Resolver({ timeout: FIRST_TRY_MS, tries });
        if (this.#dnsServers.length > 0) channel.setServers(this.#dnsServers);
        this.#channels.add(channel);
        const giveUp = this.#liveClock.after(LOOKUP_MS, () => channel.cancel());
        channel.resolve4(name, { ttl: true }, (error, records) => {
          giveUp();
          this.#channels.delete(channel);
          resolve(answerOf(error, records));
        });
      } catch {
        resolve('no-address');
      }
    });
  }
}

/** At least one record, or the reason. */
type Answer = readonly RecordWithTtl[] | 'no-address' | 'failed';

function answerOf(error: NodeJS.ErrnoException | null, records: readonly RecordWithTtl[]): Answer {
  if (error !== null) return NO_ADDRESS.has(String(error.code)) ? 'no-address' : 'failed';
  return records.length === 0 ? 'no-address' : records;
}

const LOCALHOST: readonly string[] = ['127.0.0.1'];

/** For any server's answer (RFC 6761 6.3). */
function isLocalhost(name: string): boolean {
  return name.endsWith('localhost') && (name === 'localhost' || name.endsWith('.localhost'));
}

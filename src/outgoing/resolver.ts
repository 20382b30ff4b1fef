import { Resolver, type RecordWithTtl } from 'node:dns';
import type { Clock } from '#domain/clock';
import type { LiveClock } from './live-clock.ts';
import { HostsFile } from './hosts-file.ts';

/** How long one lookup may take, and its first try with one server, in milliseconds. */
const LOOKUP_MS = 5_000;
const FIRST_TRY_MS = 1_200;
const TRIES = 2;
/** How long an answer is cached at most, in milliseconds, even if its own lifetime is longer. */
const MAX_BELIEVED_MS = 60_000;
/** The same for entries of the hosts file, and for the answer that a name has no address. */
const HOSTS_BELIEVED_MS = 5_000;
const NO_ADDRESS_BELIEVED_MS = 5_000;
/** How long a failed lookup is cached (RFC 9520 requires at least a second). */
const FAILURE_BELIEVED_MS = 1_000;
/** How many names are cached. */
const MAX_NAMES = 4_096;
/** How many addresses of a name are examined. */
const MAX_ADDRESSES = 64;

interface ResolverOptions {
  clock: Clock;
  /** The clock for the servers' time limit. */
  liveClock: LiveClock;
  /** `ip` or `ip:port`; none means the system's. */
  dnsServers: readonly string[];
  /** The file of the machine's own names. Default: `/etc/hosts`. */
  hostsPath?: string;
}

interface Remembered {
  /** Null if the name has none, or no server answered. */
  addresses: readonly string[] | null;
  untilMs: number;
}

/** Errors that mean that the name or its A records do not exist. */
const NO_ADDRESS = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Finds the IPv4 addresses of names (§2.7): first in the hosts file, then by DNS (A records only; the server follows
 * CNAMEs). Uses c-ares, never the four threads that the whole process shares.
 *
 * Every lookup has its own channel, which takes 13 µs to make. On a shared channel a single malformed answer makes all
 * other lookups fail, and a server that is silent about one name delays the others.
 */
export class NameResolver {
  readonly #clock: Clock;
  readonly #liveClock: LiveClock;
  readonly #dnsServers: readonly string[];
  readonly #hosts: HostsFile;
  readonly #remembered = new Map<string, Remembered>();
  readonly #underWay = new Map<string, Promise<readonly string[] | null>>();
  readonly #channels = new Set<Resolver>();

  constructor({ clock, liveClock, dnsServers, hostsPath }: ResolverOptions) {
    this.#clock = clock;
    this.#liveClock = liveClock;
    this.#dnsServers = dnsServers;
    this.#hosts = new HostsFile(clock, hostsPath);
  }

  /** The result of `find`, if it is known without a lookup; else undefined. */
  recall(name: string): readonly string[] | null | undefined {
    if (isLocalhost(name)) return LOCALHOST;
    const known = this.#remembered.get(name);
    if (known === undefined) return undefined;
    if (known.untilMs > this.#clock.monotonicMs()) return known.addresses;
    this.#remembered.delete(name);
    return undefined;
  }

  /**
   * Finds a name's addresses; null if it has none or no server answers in time. Never rejects. Simultaneous calls for
   * one name share one lookup.
   */
  find(name: string): Promise<readonly string[] | null> {
    const known = this.recall(name);
    if (known !== undefined) return Promise.resolve(known);
    const underWay = this.#underWay.get(name);
    if (underWay !== undefined) return underWay;
    const lookup = this.#lookUp(name).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, lookup);
    return lookup;
  }

  /** Cancels every lookup under way; they return null. */
  close(): void {
    for (const channel of this.#channels) channel.cancel();
  }

  async #lookUp(name: string): Promise<readonly string[] | null> {
    const listed = await this.#hosts.find(name);
    if (listed !== null) return this.#remember(name, listed, HOSTS_BELIEVED_MS);
    const answer = await this.#ask(name);
    if (answer === 'no-address') return this.#remember(name, null, NO_ADDRESS_BELIEVED_MS);
    if (answer === 'failed') return this.#remember(name, null, FAILURE_BELIEVED_MS);
    const seconds = Math.min(...answer.map(({ ttl }) => ttl));
    const addresses = answer.map(({ address }) => address);
    const forMs = Math.min(seconds * 1000, MAX_BELIEVED_MS);
    // One of the addresses that are not examined could be a blocked one, so such a name counts as not resolvable.
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
    const wasHeard = answer !== 'failed' || this.#liveClock.stoodStillMs === stoodStillMs;
    return wasHeard ? answer : this.#askFor(name, 1);
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
        // c-ares refuses to look up this name.
        resolve('no-address');
      }
    });
  }
}

/** At least one record, or why there is none. */
type Answer = readonly RecordWithTtl[] | 'no-address' | 'failed';

function answerOf(error: NodeJS.ErrnoException | null, records: readonly RecordWithTtl[]): Answer {
  if (error !== null) return NO_ADDRESS.has(String(error.code)) ? 'no-address' : 'failed';
  return records.length === 0 ? 'no-address' : records;
}

const LOCALHOST: readonly string[] = ['127.0.0.1'];

/** `localhost` and all names below it are this machine, for any server's answer (RFC 6761 6.3). */
function isLocalhost(name: string): boolean {
  return name.endsWith('localhost') && (name === 'localhost' || name.endsWith('.localhost'));
}

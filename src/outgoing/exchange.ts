import type { Clock } from '#domain/clock';
import type { Sender } from '#domain/exchange';
import type { Cidr } from '#domain/network';
import type { OwnEcho } from '#domain/own-echo';
import { Attempt, type AttemptTools } from './attempt.ts';
import { createTlsContext } from './connection.ts';
import { Connections } from './connections.ts';
import { Guard } from './guard.ts';
import { LiveClock } from './live-clock.ts';
import { NameResolver } from './resolver.ts';
import { PreemptiveSemaphore } from './preemptive-semaphore.ts';
import { HeadWriter } from './request-head.ts';
import { Targets } from './target.ts';
import { TlsSessions } from './tls-sessions.ts';
import { Turns } from './turns.ts';

/** How many brotli bodies are decoded at a time. No request accepts brotli (§2.6), so they are rare. */
const BROTLI_PERMITS = 6;

interface SenderOptions {
  clock: Clock;
  /** Networks that may be reached although they are not public (`ALLOWED_NETWORKS`). */
  allowedNetworks: readonly Cidr[];
  /** This installation's own echo, which may be called although it is not public (§2.12). */
  echo?: OwnEcho | null;
  /** Headers by which the proxy in front of this installation names people: nothing is sent with them. */
  neverSent?: readonly string[];
  /** `ip` or `ip:port` of the resolvers (`DNS_SERVERS`); none means the system's. */
  dnsServers: readonly string[];
  /** Root certificates (PEM) to trust in addition to the usual ones. */
  trustedCertificates?: readonly string[];
  /** The file of the machine's own names. Default: `/etc/hosts`. */
  hostsPath?: string;
  /** Default: the IPv4 addresses of all network interfaces. */
  readOwnAddresses?: () => readonly string[];
}

export interface ClosableSender extends Sender {
  /** Closes every connection at once. Exchanges under way end as broken. */
  close(): Promise<void>;
}

/**
 * Makes the only sender of requests (§2.6, §2.7): it resolves, checks addresses, connects, sends and reads within
 * limits.
 *
 * `send` never rejects: every fault of a URL, a header, a name server or a target becomes an `Exchange`, and affects no
 * other exchange (§2.7). Proxies from the environment are not used.
 */
export function createSender(options: SenderOptions): ClosableSender {
  const { clock } = options;
  const liveClock = new LiveClock(clock);
  const resolver = new NameResolver({ ...options, liveClock });
  const guard = new Guard({ ...options, echo: options.echo ?? null, resolver });
  const connections = new Connections(clock, {
    tlsContext: createTlsContext(options.trustedCertificates ?? []),
    sessions: new TlsSessions(clock),
    mayUse: (address, port) => guard.mayUse(address, port),
  });
  const tools: AttemptTools = {
    clock: liveClock,
    targets: new Targets(),
    guard,
    connections,
    turns: new Turns(clock),
    brotliSemaphore: new PreemptiveSemaphore(BROTLI_PERMITS, clock),
    heads: new HeadWriter(options.neverSent ?? []),
  };
  return {
    send: (request, options) =>
      new Promise((onExchange) => new Attempt(tools, request, options, { onExchange }).start()),
    begin: (request, options, user) => new Attempt(tools, request, options, user).start(),
    close: () => {
      resolver.close();
      connections.closeAll();
      return Promise.resolve();
    },
  };
}

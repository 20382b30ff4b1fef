import type { Clock } from '#domain/base/clock';
import type { Sender } from '#domain/http/exchange';
import type { AddressRange } from '#domain/http/address-range';
import type { OwnEcho } from '#domain/http/own-echo';
import { Attempt, type AttemptTools } from './attempt.ts';
import { createTlsContext } from './connection.ts';
import { Connections } from './connections.ts';
import { Guard } from './guard.ts';
import { LiveClock } from './live-clock.ts';
import { NameResolver } from './resolver.ts';
import { PreemptiveSemaphore } from './preemptive-semaphore.ts';
import { HeadWriter } from './request-head.ts';
import { Targets } from './target.ts';
import { rememberSessions } from './tls-sessions.ts';
import { LoopBudget } from './loop-budget.ts';

/** No request accepts brotli (§2.6), so such bodies are rare. */
const BROTLI_PERMITS = 6;

interface SenderOptions {
  clock: Clock;
  /** `ALLOWED_NETWORKS` */
  allowedNetworks: readonly AddressRange[];
  /** May be called although it isn't public (§2.12). */
  echo?: OwnEcho | null;
  /** Headers by which a proxy names people: no request is sent with them. */
  neverSent?: readonly string[];
  /** `ip` or `ip:port` (`DNS_SERVERS`); empty: the system's. */
  dnsServers: readonly string[];
  /** PEM, in addition to the usual ones. */
  trustedCertificates?: readonly string[];
  hostsPath?: string;
  /** Default: all network interfaces. */
  readOwnAddresses?: () => readonly string[];
}

export interface ClosableSender extends Sender {
  /** Exchanges under way end as broken. */
  close(): Promise<void>;
}

/** `send` never rejects: every fault becomes an `Exchange` (§2.6, §2.7). Proxies from the environment aren't used. */
export function createSender(options: SenderOptions): ClosableSender {
  const { clock } = options;
  const liveClock = new LiveClock(clock);
  const resolver = new NameResolver({ ...options, liveClock });
  const guard = new Guard({ ...options, echo: options.echo ?? null, resolver });
  const connections = new Connections(clock, {
    tlsContext: createTlsContext(options.trustedCertificates ?? []),
    connectTls: rememberSessions(clock),
    mayUse: (address, port) => guard.mayUse(address, port),
  });
  const tools: AttemptTools = {
    clock: liveClock,
    targets: new Targets(),
    guard,
    connections,
    budget: new LoopBudget(clock),
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

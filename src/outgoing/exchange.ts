import type { Clock } from '#domain/clock';
import type { Sender } from '#domain/exchange';
import type { Cidr } from '#domain/network';
import { Attempt } from './attempt.ts';
import { Connections } from './connections.ts';
import { Guard } from './guard.ts';
import { NameResolver } from './resolver.ts';
import { Rooms } from './rooms.ts';
import { createTlsContext } from './sockets.ts';

/** How many large bodies may grow at a time, each up to 16 MiB (D23). */
const ROOMS = 2;
/** How many brotli bodies may be decoded at a time. Nothing asks for them (D18), so few will come. */
const BROTLI_ROOMS = 6;

export interface SenderOptions {
  clock: Clock;
  /** Networks that may be reached although they are not public (`ALLOWED_NETWORKS`). */
  allowedNetworks: readonly Cidr[];
  /** `ip` or `ip:port` of the resolvers (`DNS_SERVERS`); none means the system's. */
  dnsServers: readonly string[];
  /** Root certificates (PEM) to trust besides the usual ones. */
  trustedCertificates?: readonly string[];
  /** Where the machine's own names stand. Default: `/etc/hosts`. */
  hostsPath?: string;
}

export interface ClosableSender extends Sender {
  /** Closes every connection at once; exchanges under way end as broken. */
  close(): Promise<void>;
}

/**
 * Makes the one way out (§2.6, §2.7): resolves, guards, connects, sends and reads within limits.
 *
 * `send` never rejects: whatever a URL, a header, a name server or a target does is an `Exchange`, and ends
 * no other exchange than its own (D22). Proxies of the environment are not used.
 */
export function createSender(options: SenderOptions): ClosableSender {
  const { clock } = options;
  const resolver = new NameResolver(options);
  const guard = new Guard(options.allowedNetworks, resolver);
  const connections = new Connections({
    tlsContext: createTlsContext(options.trustedCertificates ?? []),
    isAllowed: (address) => guard.isAllowed(address),
  });
  const tools = {
    clock,
    guard,
    connections,
    rooms: new Rooms(ROOMS, clock),
    brotliRooms: new Rooms(BROTLI_ROOMS, clock),
  };
  return {
    send: (request, options) =>
      new Promise((resolve) => new Attempt(tools, request, options, resolve).start()),
    close: () => {
      resolver.close();
      connections.closeAll();
      return Promise.resolve();
    },
  };
}

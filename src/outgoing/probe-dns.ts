import { getServers, Resolver } from 'node:dns/promises';
import { NO_ADDRESS } from './resolver.ts';

/** For one try with one server. */
const TRY_MS = 1_500;
const TRIES = 1;

interface DnsProbe {
  /** `ip` or `ip:port`. */
  servers: readonly string[];
  /** Null if a server answered. */
  fault: string | null;
}

/**
 * For a reserved name (RFC 2606). Takes a few seconds if none answers. Never rejects.
 * @param dnsServers `ip` or `ip:port`; empty: the system's
 */
export async function probeDns(dnsServers: readonly string[]): Promise<DnsProbe> {
  const servers = dnsServers.length > 0 ? dnsServers : getServers();
  const channel = new Resolver({ timeout: TRY_MS, tries: TRIES });
  try {
    channel.setServers(servers);
    await channel.resolve4('example.com');
    return { servers, fault: null };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return { servers, fault: NO_ADDRESS.has(code) ? null : code };
  }
}

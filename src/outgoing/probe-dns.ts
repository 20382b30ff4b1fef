import { getServers, Resolver } from 'node:dns';

/** For one try with one server. */
const TRY_MS = 1_500;
const TRIES = 1;

interface DnsProbe {
  /** `ip` or `ip:port`. */
  servers: readonly string[];
  /** Null if a server answered. */
  fault: string | null;
}

/** The name doesn't exist, so the server works. */
const ANSWERS = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * For a reserved name (RFC 2606). Takes a few seconds if none answers. Never rejects.
 * @param dnsServers `ip` or `ip:port`; empty: the system's
 */
export function probeDns(dnsServers: readonly string[]): Promise<DnsProbe> {
  const servers = dnsServers.length > 0 ? dnsServers : getServers();
  return new Promise((resolve) => {
    try {
      const channel = new Resolver({ timeout: TRY_MS, tries: TRIES });
      channel.setServers(servers);
      channel.resolve4('example.com', (error) => {
        const code = error?.code ?? null;
        resolve({ servers, fault: code === null || ANSWERS.has(code) ? null : code });
      });
    } catch (error) {
      resolve({ servers, fault: (error as Error).message });
    }
  });
}

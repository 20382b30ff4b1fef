import { open } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import type { Clock } from '#domain/base/clock';

/** Bytes read, and milliseconds cached. */
const MAX_BYTES = 256 * 1024;
const TTL_MS = 5_000;

/**
 * c-ares doesn't read it, but names of a self-hoster or a container runtime may be in no DNS server.
 * @returns finds the addresses of a name in lower case; null if it isn't listed
 */
export function openHostsFile(clock: Clock, path = '/etc/hosts') {
  let table: Promise<AddressTable> = Promise.resolve(new Map());
  let readAtMs = -Infinity;
  return async (name: string): Promise<readonly string[] | null> => {
    const nowMs = clock.monotonicMs();
    if (nowMs - readAtMs >= TTL_MS) {
      readAtMs = nowMs;
      table = readTable(path, table);
    }
    return (await table).get(name) ?? null;
  };
}

type AddressTable = ReadonlyMap<string, readonly string[]>;

/** Empty without a file; the last content if it can't be read. */
async function readTable(path: string, last: Promise<AddressTable>): Promise<AddressTable> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return parseHosts(buffer.toString('latin1', 0, bytesRead));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? new Map() : last;
  }
}

function parseHosts(text: string): AddressTable {
  const addresses = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/);
    if (!isIPv4(address)) continue;
    for (const name of names) {
      const known = addresses.get(name.toLowerCase());
      if (known === undefined) addresses.set(name.toLowerCase(), [address]);
      else known.push(address);
    }
  }
  return addresses;
}

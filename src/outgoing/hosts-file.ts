import { open } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import type { Clock } from '#domain/base/clock';

/** Bytes read, and milliseconds cached. */
const MAX_BYTES = 256 * 1024;
const TTL_MS = 5_000;

/** c-ares doesn't read it, but names of a self-hoster or a container runtime may be in no DNS server. */
export class HostsFile {
  readonly #clock: Clock;
  readonly #path: string;
  #table: Promise<AddressTable> = Promise.resolve(new Map());
  #readAtMs = -Infinity;

  constructor(clock: Clock, path = '/etc/hosts') {
    this.#clock = clock;
    this.#path = path;
  }

  /** `name` in lower case; null if it isn't listed. */
  async find(name: string): Promise<readonly string[] | null> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#readAtMs >= TTL_MS) {
      this.#readAtMs = nowMs;
      this.#table = readTable(this.#path, this.#table);
    }
    return (await this.#table).get(name) ?? null;
  }
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

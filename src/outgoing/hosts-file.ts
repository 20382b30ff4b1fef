import { open } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import type { Clock } from '#domain/clock';

/** How much of the file is read, in bytes, and how long its content is cached, in milliseconds. */
const MAX_BYTES = 256 * 1024;
const BELIEVED_MS = 5_000;

/**
 * The machine's own table of names, so that names added by a self-hoster or a container runtime work although no DNS
 * server has them. c-ares does not read it.
 */
export class HostsFile {
  readonly #clock: Clock;
  readonly #path: string;
  #table: Promise<AddressTable> = Promise.resolve(new Map());
  #readAtMs = -Infinity;

  constructor(clock: Clock, path = '/etc/hosts') {
    this.#clock = clock;
    this.#path = path;
  }

  /** The IPv4 addresses of a name, which must be in lower case; null if the file does not list it. */
  async find(name: string): Promise<readonly string[] | null> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#readAtMs >= BELIEVED_MS) {
      this.#readAtMs = nowMs;
      this.#table = readTable(this.#path, this.#table);
    }
    return (await this.#table).get(name) ?? null;
  }
}

type AddressTable = ReadonlyMap<string, readonly string[]>;

/** The file's content: nothing if there is no file, the last content if it cannot be read. */
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

/** The only target on the service's own address that needs no `ALLOWED_NETWORKS` (§2.12). */
export interface OwnEcho {
  /** IPv4. */
  address: string;
  port: number;
}

export const ECHO_PATH = '/echo';

/**
 * The URL must have the address, not a name, and the exact path.
 * @param path path and query
 */
export function isForEcho(url: URL, path: string, echo: OwnEcho): boolean {
  const isThere = url.protocol === 'http:' && url.hostname === echo.address;
  const isItsPort = Number(url.port || 80) === echo.port;
  return isThere && isItsPort && (path === ECHO_PATH || path.startsWith(`${ECHO_PATH}?`));
}

export function urlOfEcho({ address, port }: OwnEcho): string {
  return `http://${address}:${port}${ECHO_PATH}`;
}

/** Null if this process listens on no IPv4 address. */
export function findOwnEcho(listening: { address: string; port: number }): OwnEcho | null {
  const { address, port } = listening;
  if (address === '0.0.0.0' || address === '::') return { address: '127.0.0.1', port };
  return address.includes(':') ? null : { address, port };
}

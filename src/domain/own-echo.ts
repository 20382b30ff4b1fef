/**
 * The installation's own echo: the only target on its own address that may be called although the address is not
 * public (§2.12).
 */
export interface OwnEcho {
  /** IPv4, four decimal numbers with dots, on which this process listens. */
  address: string;
  port: number;
}

export const ECHO_PATH = '/echo';

/**
 * Whether a request goes to the echo. The URL must have its address, not a host name, and its exact path.
 *
 * @param path path and query of the request line
 */
export function isForEcho(url: URL, path: string, echo: OwnEcho): boolean {
  const isThere = url.protocol === 'http:' && url.hostname === echo.address;
  const isItsPort = Number(url.port || 80) === echo.port;
  return isThere && isItsPort && (path === ECHO_PATH || path.startsWith(`${ECHO_PATH}?`));
}

/** The URL by which a job or cron names the echo. */
export function urlOfEcho({ address, port }: OwnEcho): string {
  return `http://${address}:${port}${ECHO_PATH}`;
}

/** The echo's address and port; null if this process listens on no IPv4 address. */
export function findOwnEcho(listening: { address: string; port: number }): OwnEcho | null {
  const { address, port } = listening;
  if (address === '0.0.0.0' || address === '::') return { address: '127.0.0.1', port };
  return address.includes(':') ? null : { address, port };
}

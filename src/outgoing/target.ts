import { isIPv4 } from 'node:net';

/** A URL taken apart for sending. */
export interface Target {
  url: URL;
  /** Path and query for the request line. */
  path: string;
  port: number;
  /** The name a certificate must bear, or null for plain http. */
  tlsHost: string | null;
}

/** Everything behind the authority and before the fragment. A backslash ends the authority as a slash does. */
const BEHIND_AUTHORITY = /^https?:\/\/[^/\\?#]*([^#]*)/i;
/** What cannot stand in a request line. */
const UNSENDABLE = /[^!-~]/;

/**
 * Takes a URL apart, or null where it is none that a request can go to.
 *
 * The host is what the URL parser makes of it, so that what is judged is what is dialled. Path and query go
 * out as they were written (§2.9): no dot segments resolved, nothing escaped that a request line can carry.
 */
export function readTarget(text: string): Target | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  const isTls = url.protocol === 'https:';
  return {
    url,
    path: pathAsWritten(text, url),
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    tlsHost: isTls ? certificateName(url.hostname) : null,
  };
}

function pathAsWritten(text: string, url: URL): string {
  const written = BEHIND_AUTHORITY.exec(text)?.[1];
  if (written === undefined || /[\0-\x20\x7f\\]/.test(written)) return url.pathname + url.search;
  const sendable = UNSENDABLE.test(written) ? escapeNonAscii(written) : written;
  return sendable.startsWith('/') ? sendable : `/${sendable}`;
}

function escapeNonAscii(text: string): string {
  return text.toWellFormed().replace(/[^!-~]+/g, (part) => encodeURIComponent(part));
}

/** Without the dot that may end a name: certificates do not have it. */
function certificateName(hostname: string): string {
  return hostname.endsWith('.') && !isIPv4(hostname) ? hostname.slice(0, -1) : hostname;
}

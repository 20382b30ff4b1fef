import { isIPv4 } from 'node:net';

/** A URL, split into the parts that sending needs. */
export interface Target {
  url: URL;
  /** Path and query for the request line. */
  path: string;
  port: number;
  /** The name that the certificate must be valid for; null for plain http. */
  tlsHost: string | null;
}

/** Matches everything behind the authority and before the fragment. A backslash ends the authority like a slash. */
const BEHIND_AUTHORITY = /^https?:\/\/[^/\\?#]*([^#]*)/i;
/** Matches characters that a request line must not contain. */
const UNSENDABLE = /[^!-~]/;

/**
 * Splits a URL; null if a request cannot be sent to it.
 *
 * The host is as the URL parser reads it, so that the host that is judged is the one that is dialled. Path and query
 * are sent as written (§2.9): dot segments are not resolved, and nothing is escaped that a request line may contain.
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

/** The name without the dot at its end, which certificates do not have. */
function certificateName(hostname: string): string {
  return hostname.endsWith('.') && !isIPv4(hostname) ? hostname.slice(0, -1) : hostname;
}

import { isIPv4 } from 'node:net';
import { hostOfUrl, type UrlHost } from '#domain/http/network';

/** The part of a URL before its path. */
export interface Site {
  url: URL;
  urlHost: UrlHost;
  host: string;
  port: number;
  /** For the certificate; null for http. */
  tlsHost: string | null;
}

export interface Target {
  site: Site;
  /** With the query. */
  path: string;
}

const MAX_SITES = 4_096;
/** Most origins: ASCII, without a user. */
const PLAIN_ORIGIN = /^https?:\/\/[\w.:[\]-]+$/i;
/** Nothing has to be escaped or normalised: no fragment, no backslash, visible ASCII. */
const PLAIN_PATH = /^\/[!"$-[\]-~]*$/;
/** Everything behind the authority, without the fragment. A backslash ends the authority like a slash. */
const BEHIND_AUTHORITY = /^https?:\/\/[^/\\?#]*([^#]*)/i;
/** Not allowed in a request line. */
const UNSENDABLE = /[^!-~]/;

/** The URL parser reads the host, so the judged host is the dialled one. Path and query are sent as written (§2.9). */
export class Targets {
  readonly #sites = new Map<string, Site>();

  /** Null if it can't be sent. */
  read(text: string): Target | null {
    const end = text.indexOf('/', 'https://'.length);
    const origin = end === -1 ? text : text.slice(0, end);
    const path = end === -1 ? '/' : text.slice(end);
    const known = this.#sites.get(origin);
    if (known !== undefined && PLAIN_PATH.test(path)) return { site: known, path };
    const url = URL.parse(text);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
    const key = PLAIN_ORIGIN.test(origin) ? origin : url.origin;
    const site = this.#sites.get(key) ?? this.#add(key, url);
    return { site, path: pathAsWritten(text, url) };
  }

  #add(key: string, url: URL): Site {
    const isTls = url.protocol === 'https:';
    const site = {
      url,
      urlHost: hostOfUrl(url),
      host: url.host,
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      tlsHost: isTls ? certificateName(url.hostname) : null,
    };
    if (this.#sites.size >= MAX_SITES) {
      const [oldest] = this.#sites.keys();
      if (oldest !== undefined) this.#sites.delete(oldest);
    }
    this.#sites.set(key, site);
    return site;
  }
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

/** Certificates have no dot at the end. */
function certificateName(hostname: string): string {
  return hostname.endsWith('.') && !isIPv4(hostname) ? hostname.slice(0, -1) : hostname;
}

/** The destination of a redirect that a form, an address or a cookie names: a path of our own site only. */

/** Percent-encoded again in another address, a path of this length fits into the 16 KiB of a response's headers. */
const LONGEST = 4_096;
/** Any origin does: only its path is read. */
const HERE = 'http://belfry.invalid';

/**
 * Reads a path on our own site, `/jobs?tab=failed`, and gives it as a header can carry it, percent-encoded. Null for
 * anything else, also for another site in a disguise that browsers accept (`//host`, `/\host`, `/.//host`, with control
 * characters in between).
 */
export function readOwnPath(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LONGEST || !value.startsWith('/')) return null;
  if (value.includes('\\') || /[\0- ]/.test(value)) return null;
  const url = URL.parse(value, HERE);
  if (url?.origin !== HERE || url.pathname.startsWith('//')) return null;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** The next page, from the `next` field or parameter: the overview unless it names a path of this site. */
export function readNext(value: unknown): string {
  return readOwnPath(value) ?? '/';
}

/** The sign-in page that leads back to a path; without it if it is too long to be passed on. */
export function signInPath(wanted: string): string {
  if (wanted === '/' || wanted.length > LONGEST) return '/login';
  return `/login?next=${encodeURIComponent(wanted)}`;
}

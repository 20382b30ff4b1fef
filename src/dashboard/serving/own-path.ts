/** A redirect goes only to a path of our own site. */

/** Encoded again, it fits into 16 KiB of headers. */
const LONGEST = 4_096;
/** Only its path is read. */
const HERE = 'http://belfry.invalid';

/** Null for anything else, also for disguised sites (`//host`, `/\host`, `/.//host`, control characters). */
export function readOwnPath(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LONGEST || !value.startsWith('/')) return null;
  if (value.includes('\\') || /[\0- ]/.test(value)) return null;
  const url = URL.parse(value, HERE);
  if (url?.origin !== HERE || url.pathname.startsWith('//')) return null;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Default: the overview. */
export function readNext(value: unknown): string {
  return readOwnPath(value) ?? '/';
}

/** Leads back, unless the path is too long. */
export function signInPath(wanted: string): string {
  if (wanted === '/' || wanted.length > LONGEST) return '/login';
  return `/login?next=${encodeURIComponent(wanted)}`;
}

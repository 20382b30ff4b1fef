/** Rules that depend on the public address (`BASE_URL`), which has a path if several services share the host name. */

/** The path of `BASE_URL`, without a slash at its end: empty, or for example `/belfry`. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

/** A path relative to that of `BASE_URL`, as pages and redirects use it. */
export function ownPathOf({ pathname }: URL, baseUrl: string): string {
  const basePath = basePathOf(baseUrl);
  const isBelow = pathname === basePath || pathname.startsWith(`${basePath}/`);
  return (isBelow ? pathname.slice(basePath.length) : pathname) || '/';
}

/** How cookies are kept from other hosts and from other services on this host. */
export interface CookieScope {
  /**
   * The prefix of the cookies' names. On https it is `__Host-`: no other host of the domain can set such a cookie.
   * This prefix requires the path `/`, so below another path it is `__Secure-`: other services on the host do not
   * receive the cookie, but could set it.
   */
  prefix: '' | '__Host-' | '__Secure-';
  path: string;
  isSecure: boolean;
}

export function cookieScopeOf(baseUrl: string): CookieScope {
  const basePath = basePathOf(baseUrl);
  const isSecure = baseUrl.startsWith('https:');
  const bound = basePath === '' ? '__Host-' : '__Secure-';
  return { prefix: isSecure ? bound : '', path: basePath || '/', isSecure };
}

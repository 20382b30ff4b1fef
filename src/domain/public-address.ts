/** What follows from the public address (`BASE_URL`), which may have a path where a host name is shared. */

/** The path that everything of ours is below: empty, or such as `/belfry`. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

/** A path of ours, as pages and redirects name it: without the one that everything is below. */
export function ownPathOf({ pathname }: URL, baseUrl: string): string {
  const basePath = basePathOf(baseUrl);
  const isBelow = pathname === basePath || pathname.startsWith(`${basePath}/`);
  return (isBelow ? pathname.slice(basePath.length) : pathname) || '/';
}

/** How cookies are kept to ourselves. */
export interface CookieScope {
  /**
   * What their names begin with. On https, `__Host-`: no other host of the domain can set one. It asks for the path
   * `/`, so below a path it is `__Secure-`: other pages of the host are not sent the cookie, but could set one.
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

/** Empty or, for example, `/belfry`. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

/** Relative to `BASE_URL`, as pages and redirects use it. */
export function ownPathOf({ pathname }: URL, baseUrl: string): string {
  const basePath = basePathOf(baseUrl);
  const isBelow = pathname === basePath || pathname.startsWith(`${basePath}/`);
  return (isBelow ? pathname.slice(basePath.length) : pathname) || '/';
}

interface CookieScope {
  /** `__Host-` on https: no other host can set the cookie. It requires the path `/`; below a path it is `__Secure-`. */
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

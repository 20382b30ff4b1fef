/**
 * Scripts run only with the page's nonce. Style sheets come from here only. Style *attributes* stay allowed: widths of
 * columns, bars and plots are numbers, and an attribute loads nothing while `img-src` is closed. A form may lead to
 * the proxy's sign-out.
 */
function buildContentSecurityPolicy(nonce: string, signOutOrigin: string | null): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    `form-action 'self'${signOutOrigin === null ? '' : ` ${signOutOrigin}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');
}

type PageHeaders = {
  nonce: string;
  isHttps: boolean;
  /** Of the proxy's sign-out page, if it is on another origin. */
  signOutOrigin: string | null;
};

export function setPageHeaders(headers: Headers, page: PageHeaders): void {
  setCommonHeaders(headers, page.isHttps);
  headers.set(
    'Content-Security-Policy',
    buildContentSecurityPolicy(page.nonce, page.signOutOrigin),
  );
  headers.set('Cache-Control', 'no-store');
  headers.set('X-Frame-Options', 'DENY');
  headers.set('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()');
}

export function setCommonHeaders(headers: Headers, isHttps: boolean): void {
  headers.set('X-Content-Type-Options', 'nosniff');
  // With no-referrer browsers send `Origin: null` with our own forms.
  headers.set('Referrer-Policy', 'same-origin');
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  if (isHttps) headers.set('Strict-Transport-Security', 'max-age=31536000');
}

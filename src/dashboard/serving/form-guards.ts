/** The checks that a request that changes something must pass before any page handles it. */

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

export function isSafeMethod(method: string): boolean {
  return safeMethods.has(method);
}

/**
 * The origins of our own pages: that of the public address, and if it is `localhost`, the default, also `127.0.0.1` at
 * the same port, which is printed at the start.
 */
export function originsOfOurPages(baseUrl: string): readonly string[] {
  const ours = new URL(baseUrl);
  if (ours.protocol !== 'http:' || ours.hostname !== 'localhost') return [ours.origin];
  const twin = new URL(ours);
  twin.hostname = '127.0.0.1';
  return [ours.origin, twin.origin];
}

/**
 * Whether one of our own pages sent the request, according to the browser.
 *
 * Browsers send the page's origin with every POST; a few leave it out for the same origin and then send
 * `Sec-Fetch-Site`. A page can set neither header. So a request with neither, or with another origin, did not come from
 * our pages (RFC 6454 §7.3, Fetch Metadata).
 */
export function comesFromOurPages(headers: Headers, ourOrigins: readonly string[]): boolean {
  const origin = headers.get('Origin');
  if (origin !== null) return ourOrigins.includes(origin);
  return headers.get('Sec-Fetch-Site') === 'same-origin';
}

/**
 * Whether a page of another site led to this address, according to the browser. False for a typed address or one opened
 * from outside the browser, and without the header: it is sent only over https, and on this machine.
 */
export function isLedByOthers(headers: Headers): boolean {
  return ['cross-site', 'same-site'].includes(headers.get('Sec-Fetch-Site') ?? '');
}

export type ReadBody =
  | { kind: 'read'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'too-large' }
  | { kind: 'too-slow' };

/**
 * Reads a whole body, up to `maxBytes` and for up to `maxMs`.
 *
 * Pages only start once the body is complete, so a slow or endless sender occupies nothing else.
 */
export async function readBoundedBody(
  request: Request,
  { maxBytes, maxMs }: { maxBytes: number; maxMs: number },
): Promise<ReadBody> {
  if (Number(request.headers.get('Content-Length') ?? 0) > maxBytes) return { kind: 'too-large' };
  if (request.body === null) return { kind: 'read', bytes: new Uint8Array() };
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), maxMs);
  try {
    for (;;) {
      const step = await Promise.race([reader.read(), late.promise]);
      if (step === 'late') return { kind: 'too-slow' };
      if (step.done) return { kind: 'read', bytes: new Uint8Array(Buffer.concat(chunks)) };
      size += step.value.byteLength;
      if (size > maxBytes) return { kind: 'too-large' };
      chunks.push(step.value);
    }
  } finally {
    clearTimeout(timer);
    // Not awaited: if the sender stalls, this resolves late or never.
    reader.cancel().catch(() => undefined);
  }
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

export function isSafeMethod(method: string): boolean {
  return safeMethods.has(method);
}

/** For `localhost` also `127.0.0.1` at the same port, which is printed at the start. */
export function originsOfOurPages(baseUrl: string): readonly string[] {
  const ours = new URL(baseUrl);
  if (ours.protocol !== 'http:' || ours.hostname !== 'localhost') return [ours.origin];
  const twin = new URL(ours);
  twin.hostname = '127.0.0.1';
  return [ours.origin, twin.origin];
}

/**
 * Browsers send the origin with every POST, or `Sec-Fetch-Site`; a page can set neither. Without either, or from
 * another origin, the request isn't ours (RFC 6454 §7.3, Fetch Metadata).
 */
export function comesFromOurPages(headers: Headers, ourOrigins: readonly string[]): boolean {
  const origin = headers.get('Origin');
  if (origin !== null) return ourOrigins.includes(origin);
  return headers.get('Sec-Fetch-Site') === 'same-origin';
}

/** False for a typed address and without the header, which is sent only over https and on this machine. */
export function isLedByOthers(headers: Headers): boolean {
  return ['cross-site', 'same-site'].includes(headers.get('Sec-Fetch-Site') ?? '');
}

export type ReadBody =
  | { kind: 'read'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'too-large' }
  | { kind: 'too-slow' };

/** Pages start once the body is complete, so a slow sender occupies nothing. */
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
    // If the sender stalls, this resolves late or never.
    reader.cancel().catch(() => undefined);
  }
}

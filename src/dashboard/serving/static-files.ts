import { extname } from 'node:path';
import type { BrowserFiles } from '../build.ts';

type StaticFile = {
  type: string;
  /** Its name contains a hash of its content. */
  isImmutable: boolean;
  etag: string;
  plain: Uint8Array<ArrayBuffer>;
  /** The best first. Development may have none. */
  encoded: readonly { encoding: 'br' | 'gzip'; bytes: Uint8Array<ArrayBuffer> | undefined }[];
};

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** In memory: an address is a key of this map or no file. About a megabyte in all. */
export async function prepareStaticFiles(files: BrowserFiles): Promise<Map<string, StaticFile>> {
  const names = [...files.keys()].filter((name) => types[extname(name)] !== undefined);
  const prepared = names.map(async (name) => [`/${name}`, await prepareFile(name, files)] as const);
  return new Map(await Promise.all(prepared));
}

async function prepareFile(name: string, files: BrowserFiles): Promise<StaticFile> {
  const plain = files.get(name) ?? new Uint8Array();
  const digest = await crypto.subtle.digest('SHA-256', plain);
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    isImmutable: name.startsWith('assets/'),
    etag: `"${Buffer.from(digest).toString('base64url').slice(0, 22)}"`,
    plain,
    encoded: [
      { encoding: 'br', bytes: files.get(`${name}.br`) },
      { encoding: 'gzip', bytes: files.get(`${name}.gz`) },
    ],
  };
}

/** In the best encoding that the client takes. */
export function answerStaticFile(file: StaticFile, request: Request): Response {
  const headers = new Headers({
    'Content-Type': file.type,
    'Cache-Control': file.isImmutable
      ? 'public, max-age=31536000, immutable'
      : 'public, max-age=3600',
    ETag: file.etag,
    Vary: 'Accept-Encoding',
  });
  if (request.headers.get('If-None-Match') === file.etag)
    return new Response(null, { status: 304, headers });
  const accepted = request.headers.get('Accept-Encoding') ?? '';
  const chosen = file.encoded.find(
    ({ encoding, bytes }) => bytes && new RegExp(`\\b${encoding}\\b`).test(accepted),
  );
  if (chosen) headers.set('Content-Encoding', chosen.encoding);
  const body = chosen?.bytes ?? file.plain;
  headers.set('Content-Length', String(body.byteLength));
  return new Response(request.method === 'HEAD' ? null : body, { headers });
}

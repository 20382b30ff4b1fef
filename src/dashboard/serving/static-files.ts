import { extname } from 'node:path';
import type { BrowserFiles } from '../build.ts';

type StaticFile = {
  type: string;
  /** Its name contains a hash of its content. */
  isImmutable: boolean;
  etag: string;
  plain: Uint8Array<ArrayBuffer>;
  brotli: Uint8Array<ArrayBuffer> | null;
  gzip: Uint8Array<ArrayBuffer> | null;
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

/** With compressed versions, which development may lack. */
async function prepareFile(name: string, files: BrowserFiles): Promise<StaticFile> {
  const plain = files.get(name) ?? new Uint8Array();
  const digest = await crypto.subtle.digest('SHA-256', plain);
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    isImmutable: name.startsWith('assets/'),
    etag: `"${Buffer.from(digest).toString('base64url').slice(0, 22)}"`,
    plain,
    brotli: files.get(`${name}.br`) ?? null,
    gzip: files.get(`${name}.gz`) ?? null,
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
  const encoding =
    file.brotli && /\bbr\b/.test(accepted)
      ? 'br'
      : file.gzip && /\bgzip\b/.test(accepted)
        ? 'gzip'
        : null;
  if (encoding) headers.set('Content-Encoding', encoding);
  const body =
    (encoding === 'br' ? file.brotli : encoding === 'gzip' ? file.gzip : null) ?? file.plain;
  headers.set('Content-Length', String(body.byteLength));
  return new Response(request.method === 'HEAD' ? null : body, { headers });
}

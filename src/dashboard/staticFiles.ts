import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

type StaticFile = {
  type: string;
  /** Names with a content hash never change their content. */
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

/**
 * The built browser files, read into memory once: an address is a key of this map or it is no file, so
 * no address can climb out of the directory. About a megabyte in all.
 */
export async function loadStaticFiles(directory: string): Promise<Map<string, StaticFile>> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && types[extname(entry.name)] !== undefined);
  const loaded = await Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const address = path.slice(directory.length).replaceAll('\\', '/');
      return [address, await loadStaticFile(path, address)] as const;
    }),
  );
  return new Map(loaded);
}

async function loadStaticFile(path: string, address: string): Promise<StaticFile> {
  const plain = new Uint8Array(await readFile(path));
  const [brotli, gzip] = await Promise.all([readIfThere(`${path}.br`), readIfThere(`${path}.gz`)]);
  const digest = await crypto.subtle.digest('SHA-256', plain);
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    isImmutable: address.startsWith('/assets/'),
    etag: `"${Buffer.from(digest).toString('base64url').slice(0, 22)}"`,
    plain,
    brotli,
    gzip,
  };
}

/** What the build has compressed lies beside the file; while pages are worked on there may be none. */
async function readIfThere(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  return readFile(path).then(
    (content) => new Uint8Array(content),
    () => null,
  );
}

/** The answer for one file, in the best encoding that the client takes. */
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

/** The files of a package apart from its code: files in the npm package, assets in the executable. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { getAssetKeys, getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

const FOLDER = dirname(fileURLToPath(import.meta.url));

export function hasPart(name: string): boolean {
  return isSea() ? getAssetKeys().includes(name) : existsSync(join(FOLDER, name));
}

/** Read-only: in the executable it is the mapped memory itself. */
export function readPart(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(isSea() ? getRawAsset(name) : readFileSync(join(FOLDER, name)));
}

/** Such as `dashboard/assets/root-B1x2.js`. */
export function listParts(folder: string): string[] {
  if (isSea()) return getAssetKeys().filter((name) => name.startsWith(`${folder}/`));
  const names = readdirSync(join(FOLDER, folder), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => extname(name) !== '');
  return files.map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

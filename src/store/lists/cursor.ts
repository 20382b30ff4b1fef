import { isId } from '#domain/base/ids';
import type { JobKey } from './search.ts';

/** After a key, in the order of the list or against it. */
export interface Cursor {
  way: 'next' | 'previous';
  key: JobKey;
}

export function writeCursor({ way, key }: Cursor): string {
  return `${way === 'next' ? 'n' : 'p'}${key.at.toString(36)}.${key.id}`;
}

/** Null for an invalid text: the list then starts at its beginning. */
export function readCursor(text: string | undefined): Cursor | null {
  const parts = /^([np])([0-9a-z]{1,11})\.([0-9a-f-]{36})$/.exec(text ?? '');
  if (!parts) return null;
  const [, way, at = '', id = ''] = parts;
  const time = Number.parseInt(at, 36);
  if (!Number.isSafeInteger(time) || !isId(id)) return null;
  return { way: way === 'n' ? 'next' : 'previous', key: { at: time, id } };
}

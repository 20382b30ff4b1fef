import { readTopLevelFields } from '#domain/json-text';
import type { Fields } from '#work/fields';

/** Fields that the readers of work take, each by its JSON text. */
export type Members = Record<string, string>;

export function fieldsOf(members: Members): Fields {
  const pairs = Object.entries(members).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return readTopLevelFields(`{${pairs.join()}}`) ?? new Map();
}

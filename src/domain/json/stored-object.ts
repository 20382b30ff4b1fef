/** A stored JSON object. Unreadable fields count as not set. */
type StoredObject = Partial<Record<string, unknown>>;

export function readStoredObject(text: string | null): StoredObject {
  try {
    return objectOf(JSON.parse(text ?? 'null'));
  } catch {
    return {};
  }
}

export function objectOf(value: unknown): StoredObject {
  return typeof value === 'object' ? { ...value } : {};
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

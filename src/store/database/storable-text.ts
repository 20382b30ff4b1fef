/**
 * A text as both databases can keep it: NUL, which Postgres cannot hold, and halves of surrogate pairs,
 * which UTF-8 cannot, become U+FFFD.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Parameters with their texts as they will be kept, so that what was written is also found again by them. */
export function storableParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) => (typeof value === 'string' ? storableText(value) : value));
}

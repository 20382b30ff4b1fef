/** NUL, which Postgres refuses, and lone surrogates, which UTF-8 can't encode, become U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Also in searches, so a text is found as it was stored. */
export function storableParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) => (typeof value === 'string' ? storableText(value) : value));
}

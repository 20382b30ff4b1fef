/** By its name (§5.9). */
export type IsSecretHeader = (name: string) => boolean;

/**
 * The usual names of credentials. Masking too much costs a click; too little reveals a secret. Operators add more by
 * `secretHeadersWith`.
 */
export function isSecretHeader(name: string): boolean {
  return SECRET.test(name);
}

const SECRET =
  /^(?:cookie|set-cookie|authorization)$|auth|token|secret|passw|api-?key|access-?key|private|signature|credential|session|hmac|(?:^|-)key$/i;

/** @param names in any case */
export function secretHeadersWith(names: readonly string[]): IsSecretHeader {
  const further = new Set(names.map((name) => name.toLowerCase()));
  return (name) => isSecretHeader(name) || further.has(name.toLowerCase());
}

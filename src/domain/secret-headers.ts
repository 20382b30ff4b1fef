/** Whether a header's value is masked until a user requests it, by its name (§5.9). */
export type IsSecretHeader = (name: string) => boolean;

/**
 * Matches the usual names of credentials. Masking too much costs a click; masking too little reveals a secret. The
 * operator adds names that only one service uses: `secretHeadersWith`.
 */
export function isSecretHeader(name: string): boolean {
  return SECRET.test(name);
}

const SECRET =
  /^(?:cookie|set-cookie|authorization)$|auth|token|secret|passw|api-?key|access-?key|private|signature|credential|session|hmac|(?:^|-)key$/i;

/** The rule of an installation. @param names  further names of secret headers, in any case */
export function secretHeadersWith(names: readonly string[]): IsSecretHeader {
  const further = new Set(names.map((name) => name.toLowerCase()));
  return (name) => isSecretHeader(name) || further.has(name.toLowerCase());
}

/** Whether a header's value is to be masked until somebody asks for it, by the header's name (§5.9). */
export type IsSecretHeader = (name: string) => boolean;

/**
 * Names of credentials as they are commonly spelled. Too much masked costs a click, too little a secret.
 * What only one service calls a secret its operator adds: `secretHeadersWith`.
 */
export function isSecretHeader(name: string): boolean {
  return SECRET.test(name);
}

const SECRET =
  /^(?:cookie|set-cookie|authorization)$|auth|token|secret|passw|api-?key|access-?key|private|signature|credential|session|hmac|(?:^|-)key$/i;

/** The one rule of an installation. @param names  of further headers, in any case */
export function secretHeadersWith(names: readonly string[]): IsSecretHeader {
  const further = new Set(names.map((name) => name.toLowerCase()));
  return (name) => isSecretHeader(name) || further.has(name.toLowerCase());
}

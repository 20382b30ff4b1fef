/**
 * Whether a configured header's value is likely a secret, to be masked until somebody asks for it (D39):
 * names of credentials as they are commonly spelled. Too much masked costs a click, too little a secret.
 */
export function isSecretHeader(name: string): boolean {
  return SECRET.test(name);
}

const SECRET =
  /^(?:cookie|set-cookie|authorization)$|auth|token|secret|passw|api-?key|access-?key|private|signature|credential|session|hmac|(?:^|-)key$/i;

/**
 * The relying party of WebAuthn. Browsers support passkeys only for a host name with HTTPS, or for this machine.
 *
 * @returns null if the public address is neither
 */
export function relyingPartyOf(baseUrl: string): { id: string; origin: string } | null {
  const { protocol, hostname, origin } = new URL(baseUrl);
  const isNumeric = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  if (isNumeric || (protocol !== 'https:' && hostname !== 'localhost')) return null;
  return { id: hostname, origin };
}

/**
 * Browsers know passkeys only of a host by name whose pages come by HTTPS, or of this machine (WebAuthn, RP ID).
 *
 * @returns null where the public address is none of these
 */
export function relyingPartyOf(baseUrl: string): { id: string; origin: string } | null {
  const { protocol, hostname, origin } = new URL(baseUrl);
  const isNumeric = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  if (isNumeric || (protocol !== 'https:' && hostname !== 'localhost')) return null;
  return { id: hostname, origin };
}

/**
 * Browsers support passkeys only on HTTPS with a host name, or on this machine.
 * @returns null if the public address is neither
 */
export function relyingPartyOf(baseUrl: string): { id: string; origin: string } | null {
  const { protocol, hostname, origin } = new URL(baseUrl);
  const isNumeric = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  if (isNumeric || (protocol !== 'https:' && hostname !== 'localhost')) return null;
  return { id: hostname, origin };
}

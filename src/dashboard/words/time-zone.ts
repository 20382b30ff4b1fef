const mostCharacters = 64;

/** Such as `Europe/Berlin`; null if unknown. */
export function knownZone(text: string): string | null {
  const name = text.trim();
  if (name === '' || name.length > mostCharacters) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

const mostCharacters = 64;

/** The zone's own spelling, such as `Europe/Berlin`; null for an unknown zone. */
export function knownZone(text: string): string | null {
  const name = text.trim();
  if (name === '' || name.length > mostCharacters) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/**
 * Changes a user-chosen name so that no mail client or chat turns it into a link: `evil.example` becomes
 * `evil[.]example`. Otherwise the sender of an invitation could put a link into our emails.
 */
export function breakLinks(name: string): string {
  return name
    .replaceAll('://', '[:]//')
    .replaceAll(/(?<=[^\s.])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}-]{2})/gu, '[.]')
    .replaceAll(/(?<=\S)@(?=\S)/g, '[at]');
}

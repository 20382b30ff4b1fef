/**
 * A name that somebody chose, as text that no mail client or chat makes a link of: `evil.example` becomes
 * `evil[.]example`. A person who invites, or whose name a mail mentions, must not get a link into our mails.
 */
export function breakLinks(name: string): string {
  return name
    .replaceAll('://', '[:]//')
    .replaceAll(/(?<=[^\s.])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}-]{2})/gu, '[.]')
    .replaceAll(/(?<=\S)@(?=\S)/g, '[at]');
}

/**
 * Changes a name that somebody chose so that no mail client or chat turns it into a link: `evil.example` becomes
 * `evil[.]example`. Otherwise a person who invites others, or who is named in a mail, could put a link into our
 * mails.
 */
export function breakLinks(name: string): string {
  return name
    .replaceAll('://', '[:]//')
    .replaceAll(/(?<=[^\s.])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}-]{2})/gu, '[.]')
    .replaceAll(/(?<=\S)@(?=\S)/g, '[at]');
}

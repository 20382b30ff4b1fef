/**
 * `evil[.]example`, so that mail clients and chats make no link. Otherwise a sender of invitations could put links into
 * our mails.
 */
export function breakLinks(name: string): string {
  return name
    .replaceAll('://', '[:]//')
    .replaceAll(/(?<=[^\s.])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}-]{2})/gu, '[.]')
    .replaceAll(/(?<=\S)@(?=\S)/g, '[at]');
}

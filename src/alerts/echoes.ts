/** What a target repeats of the request that it got is no news, and may be a secret: no notice tells it. */
import type { HeaderList } from '#domain/exchange';
import { buildRequest, type RequestSpec } from '#domain/request';
import { type IsSecretHeader, isSecretHeader } from '#domain/secret-headers';

/** Stands where something was left out. */
const HIDDEN = '•••';
/** Shorter ones stand in any answer by chance. */
const LEAST_CHARACTERS = 4;
const LEAST_OF_BODY = 8;
/** So much of a long text is looked for; where it is found, all that follows of it goes as well. */
const LOOKED_FOR_CHARACTERS = 64;

/**
 * What a request held that no notice may hold: the values of headers with secret names (§5.9), its query and
 * its body, each as sent and as they look inside JSON. A body that was taken apart and written anew is not
 * known again.
 */
export function secretsOf(
  request: RequestSpec,
  isSecret: IsSecretHeader = isSecretHeader,
): readonly string[] {
  const built = buildRequest(request);
  const texts = new Set(request.headers.filter(([name]) => isSecret(name)).flatMap(partsOfHeader));
  if (built !== 'query-too-long') {
    addIfLong(texts, new URL(built.url).search.slice(1), LEAST_CHARACTERS);
    const body = built.body === null ? '' : Buffer.from(built.body).toString('utf8');
    addIfLong(texts, body, LEAST_OF_BODY);
    if (body !== '') addIfLong(texts, JSON.stringify(JSON.parse(body)), LEAST_OF_BODY);
  }
  const quoted = [...texts].map((text) => JSON.stringify(text).slice(1, -1));
  return [...texts, ...quoted].toSorted((a, b) => b.length - a.length);
}

/** `Bearer abcd` is a secret in both of its forms. */
function partsOfHeader([, value]: HeaderList[number]): string[] {
  const credentials = /^[A-Za-z]+ +(\S.*)$/.exec(value)?.[1] ?? '';
  return [value, credentials].filter((text) => text.length >= LEAST_CHARACTERS);
}

function addIfLong(texts: Set<string>, text: string, least: number): void {
  if (text.length >= least) texts.add(text);
}

/** The text without the secrets, the longest of them first. */
export function hideEchoes(text: string, secrets: readonly string[]): string {
  return secrets.reduce(hideOne, text);
}

function hideOne(text: string, secret: string): string {
  const head = secret.slice(0, LOOKED_FOR_CHARACTERS);
  let hidden = '';
  let from = 0;
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, from)) {
    hidden += text.slice(from, at) + HIDDEN;
    from = at + countSame(text, at, secret);
  }
  return hidden + text.slice(from);
}

function countSame(text: string, at: number, secret: string): number {
  let same = 0;
  while (same < secret.length && text[at + same] === secret[same]) same++;
  return same;
}

/** Hides parts of a response or error that repeat its request, since they may be secret. */
import type { HeaderList } from '#domain/http/exchange';
import { buildRequest, type RequestSpec } from '#domain/http/request';
import { type IsSecretHeader, isSecretHeader } from '#domain/http/secret-headers';

const HIDDEN = '•••';
/** Shorter texts occur by chance. */
const LEAST_CHARACTERS = 4;
const LEAST_OF_BODY = 8;
/** Searches for the beginning of a long secret, then hides everything that still matches. */
const LOOKED_FOR_CHARACTERS = 64;

/**
 * Values of secret headers (§5.9), the query and the body, each as sent and as escaped in JSON. A rewritten body isn't
 * recognized.
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

/** `Bearer abcd` and `abcd`. */
function partsOfHeader([, value]: HeaderList[number]): string[] {
  const credentials = /^[A-Za-z]+ +(\S.*)$/.exec(value)?.[1] ?? '';
  return [value, credentials].filter((text) => text.length >= LEAST_CHARACTERS);
}

function addIfLong(texts: Set<string>, text: string, least: number): void {
  if (text.length >= least) texts.add(text);
}

/** Longer secrets come first (see `secretsOf`). */
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

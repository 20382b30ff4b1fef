import { normalizeEmail } from '#domain/team/email-address';
import { type CookieContext, isSame, readCookie, writeCookie } from './cookies.ts';
import { macOf, makeSecret } from './secrets.ts';

/**
 * Browsers that have signed in to an account. They have their own count of wrong passwords, so attackers who guess
 * can't lock the owner out. They give no access. The cookie names no account: each mark is a random number, the time
 * and a signature over both and the email.
 */

const COOKIE = 'belfry_device';
const VALID_MS = 365 * 24 * 60 * 60_000;
/** Beyond that, the oldest sign-in is forgotten. */
const MOST_ACCOUNTS = 5;
const BETWEEN = '~';

export function recognizeDevice(
  context: CookieContext,
  headers: Headers,
  email: string,
): string | null {
  const mark = marksIn(context, headers).find((each) => isOf(context, each, email));
  return mark?.split('.')[0] ?? null;
}

export function rememberDevice(context: CookieContext, headers: Headers, email: string): string {
  const others = marksIn(context, headers).filter((mark) => !isOf(context, mark, email));
  const head = `${makeSecret().slice(0, 22)}.${context.clock.now().toString(36)}`;
  const marks = [`${head}.${sign(context, head, email)}`, ...others].slice(0, MOST_ACCOUNTS);
  return writeCookie(context, { name: COOKIE, value: marks.join(BETWEEN), validMs: VALID_MS });
}

function marksIn(context: CookieContext, headers: Headers): string[] {
  const text = readCookie(context, headers, COOKIE) ?? '';
  return text === '' ? [] : text.split(BETWEEN).slice(0, MOST_ACCOUNTS);
}

function isOf(context: CookieContext, mark: string, email: string): boolean {
  const [id = '', madeAt = '', signature = ''] = mark.split('.');
  if (!isSame(signature, sign(context, `${id}.${madeAt}`, email))) return false;
  return Number.parseInt(madeAt, 36) + VALID_MS > context.clock.now();
}

function sign({ config }: CookieContext, head: string, email: string): string {
  return macOf(config.appKey, 'belfry known devices', `${head}.${normalizeEmail(email)}`);
}

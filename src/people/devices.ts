import { createHmac } from 'node:crypto';
import { type CookieContext, isSame, readCookie, writeCookie } from './cookies.ts';
import { normalizeEmail } from './fields.ts';
import { deriveSecret, makeSecret } from './secrets.ts';

/**
 * Known browsers: those in which an account has signed in. Such a browser has its own count of wrong passwords, so that
 * strangers who guess can't lock the owner out. A known browser gives no access. The cookie names no account: each mark
 * in it is a random number, the time of the sign-in and a signature over both and the email.
 */

const COOKIE = 'belfry_device';
/** How long a browser stays known after a sign-in. */
const VALID_MS = 365 * 24 * 60 * 60_000;
/** How many accounts one browser remembers. Beyond that, the one that signed in longest ago is forgotten. */
const MOST_ACCOUNTS = 5;
const BETWEEN = '~';

/** The browser's random name if the account has signed in with it, else null. */
export function recognizeDevice(
  context: CookieContext,
  headers: Headers,
  email: string,
): string | null {
  const mark = marksIn(context, headers).find((each) => isOf(context, each, email));
  return mark?.split('.')[0] ?? null;
}

/** A `Set-Cookie` value that marks the browser as known to the account. */
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
  return createHmac('sha256', deriveSecret(config.appKey, 'belfry known devices'))
    .update(`${head}.${normalizeEmail(email)}`)
    .digest('base64url');
}

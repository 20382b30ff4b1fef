import { normalizeEmail } from '#domain/team/email-address';
import type { Context, RequestContext } from './context.ts';
import type { CookieContext } from './cookies.ts';
import { recognizeDevice } from './devices.ts';
import { checkEmail } from './fields.ts';
import type { Rule } from './limits.ts';
import type { TooMany } from './outcomes.ts';
import { orBusy } from './passwords.ts';

/** Counts a guess before it is compared, so that simultaneous guesses count too. */

type Count = readonly [rule: Rule, who: string];

/** An email without an account is treated the same way. */
export async function guessAtSignIn<T extends { kind: string }>(
  context: CookieContext & Pick<Context, 'limits'>,
  email: string,
  request: RequestContext,
  attempt: () => Promise<T>,
): Promise<T | TooMany> {
  const device = recognizeDevice(context, request.headers, email);
  const counts: Count[] = [['guess', request.clientAddress]];
  if (device !== null) counts.push(['device-guess', device]);
  else if (checkEmail(email).length === 0) counts.push(['account-guess', normalizeEmail(email)]);
  return guess(context, counts, attempt);
}

export async function guessInSession<T extends { kind: string }>(
  context: Context,
  sessionId: string,
  request: RequestContext,
  attempt: () => Promise<T>,
): Promise<T | TooMany> {
  const counts: Count[] = [
    ['guess', request.clientAddress],
    ['session-guess', sessionId],
  ];
  return guess(context, counts, attempt);
}

/** Takes the count back if the guess was right or couldn't be checked. */
export async function guess<T extends { kind: string }>(
  { limits }: Pick<Context, 'limits'>,
  counts: readonly Count[],
  attempt: () => Promise<T>,
): Promise<T | TooMany> {
  for (const [rule, who] of counts) {
    const tooMany = await limits.count(rule, who);
    if (tooMany) return tooMany;
  }
  const takeBack = () => Promise.all(counts.map(([rule, who]) => limits.takeBack(rule, who)));
  try {
    const outcome = await orBusy(attempt);
    if (!WRONG.has(outcome.kind)) await takeBack();
    return outcome;
  } catch (error) {
    await takeBack();
    throw error;
  }
}

const WRONG = new Set(['wrong', 'refused', 'expired']);

import type { Context } from './context.ts';
import type { CookieContext } from './cookies.ts';
import { recognizeDevice } from './devices.ts';
import { checkEmail, normalizeEmail } from './fields.ts';
import type { Rule } from './limits.ts';
import type { TooMany } from './outcomes.ts';
import { orBusy } from './passwords.ts';
import type { RequestContext } from './request-context.ts';

/** Counts each guess before the secret is compared, so that simultaneous guesses are counted too. */

type Count = readonly [rule: Rule, who: string];

/**
 * A guess at a sign-in. It is counted for the client's address and, over a longer time, for the account, or for the
 * browser if it is a known one. An email without an account is treated in the same way; a text that is no email has no
 * count of its own.
 */
export async function guessAtSignIn<T extends { kind: string }>(
  context: CookieContext & Pick<Context, 'limits'>,
  email: string,
  request: RequestContext,
  guess: () => Promise<T>,
): Promise<T | TooMany> {
  const device = recognizeDevice(context, request.headers, email);
  const counts: Count[] = [['guess', request.clientAddress]];
  if (device !== null) counts.push(['device-guess', device]);
  else if (checkEmail(email).length === 0) counts.push(['account-guess', normalizeEmail(email)]);
  return count(context, counts, guess);
}

/** A guess by a signed-in user. It is counted for the client's address and, over a longer time, for the session. */
export async function guessInSession<T extends { kind: string }>(
  context: Context,
  sessionId: string,
  request: RequestContext,
  guess: () => Promise<T>,
): Promise<T | TooMany> {
  const counts: Count[] = [
    ['guess', request.clientAddress],
    ['session-guess', sessionId],
  ];
  return count(context, counts, guess);
}

/** Counts a guess, and takes the count back if it was right or could not be checked. */
async function count<T extends { kind: string }>(
  { limits }: Pick<Context, 'limits'>,
  counts: readonly Count[],
  guess: () => Promise<T>,
): Promise<T | TooMany> {
  for (const [rule, who] of counts) {
    const tooMany = await limits.count(rule, who);
    if (tooMany) return tooMany;
  }
  const takeBack = () => Promise.all(counts.map(([rule, who]) => limits.takeBack(rule, who)));
  try {
    const outcome = await orBusy(guess);
    if (!WRONG.has(outcome.kind)) await takeBack();
    return outcome;
  } catch (error) {
    await takeBack();
    throw error;
  }
}

const WRONG = new Set(['wrong', 'refused']);

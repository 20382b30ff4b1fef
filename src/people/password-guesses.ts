import type { Devices } from './devices.ts';
import { checkEmail, normalizeEmail } from './fields.ts';
import type { Limits, Rule } from './limits.ts';
import type { TooMany } from './outcomes.ts';
import { orBusy } from './passwords.ts';
import type { RequestContext } from './request-context.ts';

interface Deps {
  limits: Limits;
  devices: Devices;
}

type Count = readonly [rule: Rule, who: string];

/** Counts each guess before the secret is compared, so that simultaneous guesses are counted too. */
export class PasswordGuesses {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * A guess at a sign-in. It is counted for the client's address and, over a longer time, for the account, or for the
   * browser if the account knows it. An email without an account is treated alike; a text that is no email leaves no
   * count of its own.
   */
  async atSignIn<T extends { kind: string }>(
    email: string,
    request: RequestContext,
    guess: () => Promise<T>,
  ): Promise<T | TooMany> {
    const device = this.#deps.devices.recognize(request.headers, email);
    const counts: Count[] = [['guess', request.clientAddress]];
    if (device !== null) counts.push(['device-guess', device]);
    else if (checkEmail(email).length === 0) counts.push(['account-guess', normalizeEmail(email)]);
    return this.#count(counts, guess);
  }

  /** A guess by a signed-in user. It is counted for the client's address and, over a longer time, for the session. */
  async inSession<T extends { kind: string }>(
    sessionId: string,
    request: RequestContext,
    guess: () => Promise<T>,
  ): Promise<T | TooMany> {
    const counts: Count[] = [
      ['guess', request.clientAddress],
      ['session-guess', sessionId],
    ];
    return this.#count(counts, guess);
  }

  /** Counts a guess, and takes the count back if it was right or could not be checked. */
  async #count<T extends { kind: string }>(
    counts: readonly Count[],
    guess: () => Promise<T>,
  ): Promise<T | TooMany> {
    const { limits } = this.#deps;
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
}

const WRONG = new Set(['wrong', 'refused']);

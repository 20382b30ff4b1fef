import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#domain/clock';
import type { Store } from '#store/store';
import type { User } from '#store/people/users';
import type { Limits } from './limits.ts';
import type { Mailer } from './mail.ts';
import { writeEmailChangeAskedMail, writeEmailChangeMail, writeEmailMail } from './mails.ts';
import { deriveSecret, hashToken, isTokenShaped, makeSecret } from './secrets.ts';

const CONFIRM = 'change-email';
const STOP = 'stop-email-change';
const VALID_MS = 60 * 60_000;

interface Deps {
  store: Store;
  clock: Clock;
  limits: Limits;
  mailer: Mailer;
  baseUrl: string;
  appKey: Uint8Array;
}

/**
 * The links that prove that a person reads the mails of an address, and the link that stops a change of the address.
 */
export class EmailLinks {
  readonly #deps: Deps;
  readonly #markKey: string;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#markKey = deriveSecret(deps.appKey, 'belfry mailed invitations');
  }

  /** Mails the link with which the user's present address is confirmed. */
  async mailConfirmation({ id, email }: Pick<User, 'id' | 'email'>): Promise<void> {
    const { limits, mailer } = this.#deps;
    if (await limits.count('mailbox', email)) return;
    const token = makeSecret();
    const oneTimeToken = { purpose: CONFIRM, hash: hashToken(token), whom: id, detail: email };
    await this.#keep([oneTimeToken]);
    await mailer.send(writeEmailMail(email, this.#linkOf(token)));
  }

  /**
   * Mails the links of a change of address. If the new address has an account already, it gets no mail, and the answer
   * does not tell. The old address gets a mail in any case: a thief with a session and the password must not be able to
   * take the account unnoticed.
   */
  async mailChange(user: User, email: string): Promise<void> {
    const { store, limits, mailer, baseUrl } = this.#deps;
    if (user.email === email) return;
    const [confirm, stop] = [makeSecret(), makeSecret()];
    await this.#keep([
      { purpose: CONFIRM, hash: hashToken(confirm), whom: user.id, detail: email },
      { purpose: STOP, hash: hashToken(stop), whom: user.id },
    ]);
    const stopLink = `${baseUrl}/stop-email-change/${stop}`;
    await mailer.send(writeEmailChangeAskedMail(user.email, email, stopLink));
    const holder = await store.users.findByEmail(email);
    if (holder || (await limits.count('mailbox', email))) return;
    await mailer.send(writeEmailChangeMail(email, this.#linkOf(confirm)));
  }

  /** Makes the address the user's and marks it as confirmed. Null: the link was used, replaced or has expired. */
  async confirm(token: string): Promise<{ user: User; email: string } | null> {
    if (!isTokenShaped(token)) return null;
    const { store, clock } = this.#deps;
    const now = clock.now();
    const taken = await store.oneTimeTokens.take(CONFIRM, hashToken(token), now);
    const user = taken && (await store.users.find(taken.whom));
    if (!user) return null;
    const { detail: email } = taken;
    const change = { email, isVerified: true };
    return (await store.users.changeEmail(user.id, change, now)) ? { user, email } : null;
  }

  /** Stops a change of address. False: the link was used or has expired, or the change has been made already. */
  async stop(token: string): Promise<boolean> {
    if (!isTokenShaped(token)) return false;
    const { store, clock } = this.#deps;
    return store.oneTimeTokens.stop(STOP, hashToken(token), CONFIRM, clock.now());
  }

  /**
   * The mark in the link that is mailed with an invitation; the link that the inviter may copy has none. It proves that
   * its bearer reads the mails of the invited address.
   */
  markOf(invitationToken: string, email: string): string {
    return createHmac('sha256', this.#markKey)
      .update(`${invitationToken} ${email}`)
      .digest('base64url');
  }

  isMarkOf(given: string, invitationToken: string, email: string): boolean {
    const [a, b] = [given, this.markOf(invitationToken, email)].map((text) => Buffer.from(text));
    return a !== undefined && b !== undefined && a.length === b.length && timingSafeEqual(a, b);
  }

  #linkOf(token: string): string {
    return `${this.#deps.baseUrl}/confirm-email/${token}`;
  }

  #keep(tokens: Parameters<Store['oneTimeTokens']['replace']>[0]): Promise<void> {
    const now = this.#deps.clock.now();
    return this.#deps.store.oneTimeTokens.replace(tokens, { expiresAt: now + VALID_MS, now });
  }
}

import { nameServiceAccount, nameTokenOf } from '#domain/actors';
import type { Clock } from '#domain/clock';
import type { Store } from '#store/store';
import type { Background } from './context.ts';
import { hashToken, isServiceToken, isTokenShaped, makeApiToken } from './secrets.ts';

/** A user or a service account. */
export interface TokenOwner {
  /** The user's selected team, or the service account's. Null if none is selected (§5.3). */
  teamId: string | null;
  /** As the maker of jobs. */
  actor: string;
  /** Such a token may only read (§5.8). */
  isViewer: boolean;
}

/** The time of use is written at most once a minute. */
const MARK_EVERY_MS = 60_000;
const MOST_REMEMBERED = 10_000;

interface Deps {
  store: Pick<Store, 'apiTokens' | 'serviceAccounts'>;
  clock: Clock;
  background: Background;
}

export class ApiTokens {
  readonly #deps: Deps;
  readonly #markedAt = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async findTokenOwner(token: string): Promise<TokenOwner | null> {
    if (!isTokenShaped(token)) return null;
    const hash = hashToken(token);
    const { apiTokens, serviceAccounts } = this.#deps.store;
    if (isServiceToken(token)) {
      const account = await serviceAccounts.findByToken(hash);
      if (!account) return null;
      this.#markUsed(hash, account.lastUsedAt, serviceAccounts);
      return {
        teamId: account.teamId,
        actor: nameServiceAccount(account.name),
        isViewer: false,
      };
    }
    const owner = await apiTokens.findOwner(hash);
    if (!owner) return null;
    this.#markUsed(hash, owner.lastUsedAt, apiTokens);
    return { teamId: owner.teamId, actor: nameTokenOf(owner), isViewer: owner.isViewer };
  }

  /** `hint` is the last four characters. */
  async readApiToken(
    userId: string,
  ): Promise<{ hint: string; createdAt: number; lastUsedAt: number | null } | null> {
    return this.#deps.store.apiTokens.read(userId);
  }

  async generateApiToken(userId: string): Promise<string> {
    const token = makeApiToken();
    await this.#deps.store.apiTokens.replace(userId, token, this.#deps.clock.now());
    return token.text;
  }

  /** In the background: if the database is busy, only a displayed time is lost. */
  #markUsed(
    hash: string,
    lastUsedAt: number | null,
    kept: Pick<Store['apiTokens'], 'markUsed'>,
  ): void {
    const now = this.#deps.clock.now();
    const known = Math.max(lastUsedAt ?? 0, this.#markedAt.get(hash) ?? 0);
    if (now - known < MARK_EVERY_MS) return;
    if (this.#markedAt.size >= MOST_REMEMBERED) this.#markedAt.clear();
    this.#markedAt.set(hash, now);
    this.#deps.background.run('token.not-marked-used', () => kept.markUsed(hash, now));
  }
}

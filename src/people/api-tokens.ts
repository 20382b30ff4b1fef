import type { Clock } from '#domain/clock';
import type { Store } from '#store/store';
import type { Background } from './background.ts';
import { hashToken, isTokenShaped, makeApiToken } from './secrets.ts';

/** Whom a token speaks for; `teamId` is null where no team is selected (§5.3). */
export interface TokenOwner {
  userId: string;
  teamId: string | null;
  /** They only look on in that team, and so does the token (§5.8). */
  isViewer: boolean;
}

/** A token in steady use is marked as used once a minute, so that the API does not write for it on each call. */
const MARK_EVERY_MS = 60_000;
const MOST_REMEMBERED = 10_000;

interface Deps {
  store: Pick<Store, 'apiTokens'>;
  clock: Clock;
  background: Background;
}

/** The API tokens of users (§5.1, §5.2). */
export class ApiTokens {
  readonly #deps: Deps;
  readonly #markedAt = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whom a token belongs to, and the team that it acts on at this moment. Null: no such token. */
  async findTokenOwner(token: string): Promise<TokenOwner | null> {
    if (!isTokenShaped(token)) return null;
    const hash = hashToken(token);
    const owner = await this.#deps.store.apiTokens.findOwner(hash);
    if (!owner) return null;
    this.#markUsed(hash, owner.lastUsedAt);
    return { userId: owner.userId, teamId: owner.teamId, isViewer: owner.isViewer };
  }

  /** What may be known of the user's API token afterwards; `hint` is its last four characters. */
  async readApiToken(
    userId: string,
  ): Promise<{ hint: string; createdAt: number; lastUsedAt: number | null } | null> {
    return this.#deps.store.apiTokens.read(userId);
  }

  /** Makes a new one; the old one stops working. The only time that the text is known. */
  async generateApiToken(userId: string): Promise<string> {
    const token = makeApiToken();
    await this.#deps.store.apiTokens.replace(userId, token, this.#deps.clock.now());
    return token.text;
  }

  /** Nobody waits for it, and a database that is busy just now loses nothing but a time for display. */
  #markUsed(hash: string, lastUsedAt: number | null): void {
    const now = this.#deps.clock.now();
    const known = Math.max(lastUsedAt ?? 0, this.#markedAt.get(hash) ?? 0);
    if (now - known < MARK_EVERY_MS) return;
    if (this.#markedAt.size >= MOST_REMEMBERED) this.#markedAt.clear();
    this.#markedAt.set(hash, now);
    const { store, background } = this.#deps;
    background.run('token.not-marked-used', () => store.apiTokens.markUsed(hash, now));
  }
}

import { nameServiceAccount, nameTokenOf } from '#domain/team/actors';
import type { Clock } from '#domain/base/clock';
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

export function createApiTokens(
  { apiTokens, serviceAccounts }: Pick<Store, 'apiTokens' | 'serviceAccounts'>,
  clock: Clock,
  background: Background,
) {
  const markedAt = new Map<string, number>();
  /** In the background: if the database is busy, only a displayed time is lost. */
  const markUsed = (
    hash: string,
    lastUsedAt: number | null,
    kept: Pick<Store['apiTokens'], 'markUsed'>,
  ) => {
    const now = clock.now();
    const known = Math.max(lastUsedAt ?? 0, markedAt.get(hash) ?? 0);
    if (now - known < MARK_EVERY_MS) return;
    if (markedAt.size >= MOST_REMEMBERED) markedAt.clear();
    markedAt.set(hash, now);
    background.run('token.not-marked-used', () => kept.markUsed(hash, now));
  };
  return {
    /** Called for each API request, so it is one short query. */
    findTokenOwner: async (token: string): Promise<TokenOwner | null> => {
      if (!isTokenShaped(token)) return null;
      const hash = hashToken(token);
      if (isServiceToken(token)) {
        const account = await serviceAccounts.findByToken(hash);
        if (!account) return null;
        markUsed(hash, account.lastUsedAt, serviceAccounts);
        const actor = nameServiceAccount(account.name);
        return { teamId: account.teamId, actor, isViewer: false };
      }
      const owner = await apiTokens.findOwner(hash);
      if (!owner) return null;
      markUsed(hash, owner.lastUsedAt, apiTokens);
      return { teamId: owner.teamId, actor: nameTokenOf(owner), isViewer: owner.isViewer };
    },
    /** `hint` is the last four characters. */
    readApiToken: (userId: string) => apiTokens.read(userId),
    generateApiToken: async (userId: string): Promise<string> => {
      const token = makeApiToken();
      await apiTokens.replace(userId, token, clock.now());
      return token.text;
    },
  };
}

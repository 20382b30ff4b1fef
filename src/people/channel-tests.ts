import { type ChannelConfig, nameOfKind, originOf } from '#domain/notification-channel';
import type { Deed } from '#domain/activity';
import type { Store } from '#store/store';
import { type Actor, authorize } from './actor.ts';
import type { Limits } from './limits.ts';
import type { TooMany } from './outcomes.ts';
import type { PeopleActivity } from './people-activity.ts';

interface Deps {
  store: Pick<Store, 'members'>;
  limits: Limits;
  activity: PeopleActivity;
}

/**
 * Tests of notification channels. A test posts to any address that an admin types, or mails every member, so tests are
 * limited by user and by team, and recorded.
 */
export class ChannelTests {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Counts and records a test that is about to be sent. Null: it may be sent. */
  async beginChannelTest(actor: Actor, config: ChannelConfig): Promise<TooMany | null> {
    const { store, limits, activity } = this.#deps;
    const { userId, teamId } = await authorize(store, actor, 'notifications');
    const tooMany =
      (await limits.count('channel-test', userId)) ??
      (await limits.count('team-channel-test', teamId));
    if (tooMany) return tooMany;
    await activity.ofTeam(teamId, actor, deedOfTest(config));
    return null;
  }
}

/** Names the server, because a test may go to another one than the stored channel's. */
export function deedOfTest(config: ChannelConfig): Deed {
  const origin = originOf(config);
  const at = origin === null ? '' : ` at ${origin}`;
  return { action: 'channel.tested', detail: `${nameOfKind(config.kind)}${at}` };
}

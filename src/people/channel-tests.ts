import type { ActivityEntry } from '#domain/team/activity';
import { type ChannelConfig, nameOfKind, originOf } from '#domain/alerts/notification-channel';
import { allowed } from './actor.ts';

/** A test posts to any address that an admin types, or mails every member. Null: it may be sent. */
export const beginChannelTest = allowed(
  'notifications',
  async ({ limits, activity }, actor, config: ChannelConfig) => {
    const { userId, teamId } = actor;
    const tooMany =
      (await limits.count('channel-test', userId)) ??
      (await limits.count('team-channel-test', teamId));
    if (tooMany) return tooMany;
    await activity.ofTeam(teamId, actor, entryOfTest(config));
    return null;
  },
);

/** Names the server, which may differ from the stored channel's. */
export function entryOfTest(config: ChannelConfig): ActivityEntry {
  const origin = originOf(config);
  const at = origin === null ? '' : ` at ${origin}`;
  return { action: 'channel.tested', detail: `${nameOfKind(config.kind)}${at}` };
}

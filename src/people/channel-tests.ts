import type { ActivityEntry } from '#domain/team/activity';
import { type ChannelConfig, nameOfKind, originOf } from '#domain/alerts/notification-channel';
import { type Actor, authorize } from './actor.ts';
import type { Context } from './context.ts';
import type { TooMany } from './outcomes.ts';

/** A test posts to any address that an admin types, or mails every member. Null: it may be sent. */
export async function beginChannelTest(
  context: Context,
  actor: Actor,
  config: ChannelConfig,
): Promise<TooMany | null> {
  const { limits, activity } = context;
  const { userId, teamId } = await authorize(context, actor, 'notifications');
  const tooMany =
    (await limits.count('channel-test', userId)) ??
    (await limits.count('team-channel-test', teamId));
  if (tooMany) return tooMany;
  await activity.ofTeam(teamId, actor, entryOfTest(config));
  return null;
}

/** Names the server, which may differ from the stored channel's. */
export function entryOfTest(config: ChannelConfig): ActivityEntry {
  const origin = originOf(config);
  const at = origin === null ? '' : ` at ${origin}`;
  return { action: 'channel.tested', detail: `${nameOfKind(config.kind)}${at}` };
}

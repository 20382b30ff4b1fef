import type { Deed } from '#domain/activity';
import { type ChannelConfig, nameOfKind, originOf } from '#domain/notification-channel';
import { type Actor, authorize } from './actor.ts';
import type { Context } from './context.ts';
import type { TooMany } from './outcomes.ts';

/**
 * Tests of notification channels. A test posts to any address that an admin types, or mails every member, so tests are
 * limited by user and by team, and recorded.
 */

/** Counts and records a test that is about to be sent. Null: it may be sent. */
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
  await activity.ofTeam(teamId, actor, deedOfTest(config));
  return null;
}

/** Names the server, because a test may go to another one than the stored channel's. */
export function deedOfTest(config: ChannelConfig): Deed {
  const origin = originOf(config);
  const at = origin === null ? '' : ` at ${origin}`;
  return { action: 'channel.tested', detail: `${nameOfKind(config.kind)}${at}` };
}

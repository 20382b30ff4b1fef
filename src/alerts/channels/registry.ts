import type { PostedKind } from '#domain/notification-channel';
import type { ChatChannel } from './chat-channel.ts';
import { discord } from './discord/discord.ts';
import { googleChat } from './google-chat/google-chat.ts';
import { slack } from './slack/slack.ts';
import { teams } from './teams/teams.ts';

/** Every chat that a team can choose. Email is apart: it goes to people, not to an address of the team. */
export const CHAT_FORMATS: Record<PostedKind, ChatChannel> = {
  slack,
  discord,
  teams,
  'google-chat': googleChat,
};

import type { ChatKind, PostedChannel, PostedKind } from '#domain/notification-channel';
import type { ChatChannel } from './chat-channel.ts';
import { discord } from './discord/discord.ts';
import { googleChat } from './google-chat/google-chat.ts';
import { mattermost } from './mattermost/mattermost.ts';
import type { Message } from './message.ts';
import { ntfy } from './ntfy/ntfy.ts';
import { pagerduty } from './pagerduty/pagerduty.ts';
import type { Post, PostingChannel } from './posting-channel.ts';
import { slack } from './slack/slack.ts';
import { teams } from './teams/teams.ts';
import { telegram } from './telegram/telegram.ts';
import { webhook } from './webhook/webhook.ts';

/** Email goes to people and isn't listed. */
export const CHAT_FORMATS: Record<ChatKind, ChatChannel> = {
  slack,
  discord,
  teams,
  'google-chat': googleChat,
  mattermost,
};

const POSTING_CHANNELS: {
  [Kind in Exclude<PostedKind, ChatKind>]: PostingChannel<Kind>;
} = { webhook, ntfy, telegram, pagerduty };

export function postsOf(channel: PostedChannel, message: Message): readonly Post[] {
  if (isChat(channel)) {
    const body = CHAT_FORMATS[channel.kind].formatPost(message);
    return [{ url: channel.url, headers: [], body }];
  }
  switch (channel.kind) {
    case 'webhook':
      return POSTING_CHANNELS.webhook.formatPosts(message, channel);
    case 'ntfy':
      return POSTING_CHANNELS.ntfy.formatPosts(message, channel);
    case 'telegram':
      return POSTING_CHANNELS.telegram.formatPosts(message, channel);
    case 'pagerduty':
      return POSTING_CHANNELS.pagerduty.formatPosts(message, channel);
  }
}

function isChat(
  channel: PostedChannel,
): channel is Extract<PostedChannel, { kind: ChatKind; url: string }> {
  return Object.hasOwn(CHAT_FORMATS, channel.kind);
}

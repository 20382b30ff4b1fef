import type { ChatKind, PostedChannel } from '#domain/alerts/notification-channel';
import { discord } from './discord.ts';
import { googleChat } from './google-chat.ts';
import { mattermost } from './mattermost.ts';
import type { Message } from './message.ts';
import { ntfy } from './ntfy.ts';
import { pagerduty } from './pagerduty.ts';
import type { ChatFormat, Post } from './post.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

export const CHAT_FORMATS: Record<ChatKind, ChatFormat> = {
  slack,
  discord,
  teams,
  'google-chat': googleChat,
  mattermost,
};

/** Email goes to people and isn't posted. */
export function postsOf(channel: PostedChannel, message: Message): readonly Post[] {
  switch (channel.kind) {
    case 'webhook':
      return webhook(message, channel);
    case 'ntfy':
      return ntfy(message, channel);
    case 'telegram':
      return telegram(message, channel);
    case 'pagerduty':
      return pagerduty(message, channel);
    case 'slack':
    case 'discord':
    case 'teams':
    case 'google-chat':
    case 'mattermost':
      return [{ url: channel.url, body: CHAT_FORMATS[channel.kind](message) }];
  }
}

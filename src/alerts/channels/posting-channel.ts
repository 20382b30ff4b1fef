import type { HeaderList } from '#domain/exchange';
import type { ChannelOfKind, PostedKind } from '#domain/notification-channel';
import type { Message } from './message.ts';

/** One request that tells of a message; it goes as JSON. */
export interface Post {
  url: string;
  /** Besides those that every request has. */
  headers: HeaderList;
  body: unknown;
  /** With the team's signing secret (§5.6). */
  isSigned?: true;
}

/** A service that takes alerts otherwise than a chat at its incoming webhook. */
export interface PostingChannel<Kind extends PostedKind> {
  /** What is to be sent, one after the other; the first that fails ends it, and all are sent again. */
  formatPosts(message: Message, config: ChannelOfKind<Kind>): readonly Post[];
}

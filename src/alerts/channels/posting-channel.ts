import type { HeaderList } from '#domain/exchange';
import type { ChannelOfKind, PostedKind } from '#domain/notification-channel';
import type { Message } from './message.ts';

/** One request of a message; its body is sent as JSON. */
export interface Post {
  url: string;
  /** Headers in addition to those of every request. */
  headers: HeaderList;
  body: unknown;
  /** True: the request is signed with the team's signing secret (§5.6). */
  isSigned?: true;
}

/** A service with its own kind of requests, unlike a chat with its incoming webhook. */
export interface PostingChannel<Kind extends PostedKind> {
  /**
   * Builds the requests of a message, in the order in which they are sent. After one that fails the rest are not sent;
   * the next try sends all of them again.
   */
  formatPosts(message: Message, config: ChannelOfKind<Kind>): readonly Post[];
}

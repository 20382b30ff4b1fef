import type { HeaderList } from '#domain/exchange';
import type { ChannelOfKind, PostedKind } from '#domain/notification-channel';
import type { Message } from './message.ts';

/** The body is sent as JSON. */
export interface Post {
  url: string;
  headers: HeaderList;
  body: unknown;
  /** With the team's signing secret (§5.6). */
  isSigned?: true;
}

export interface PostingChannel<Kind extends PostedKind> {
  /** In the order of sending. If one fails, the next try sends all of them again. */
  formatPosts(message: Message, config: ChannelOfKind<Kind>): readonly Post[];
}

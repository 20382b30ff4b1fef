import type { HeaderList } from '#domain/http/exchange';
import type { ChannelOfKind, PostedKind } from '#domain/alerts/notification-channel';
import type { Message } from './message.ts';

/** The body is sent as JSON. */
export interface Post {
  url: string;
  headers?: HeaderList;
  body: unknown;
  /** With the team's signing secret (§5.6). */
  isSigned?: true;
}

/** In the order of sending. If one fails, the next try sends all of them again. */
export type PostsFormat<Kind extends PostedKind> = (
  message: Message,
  config: ChannelOfKind<Kind>,
) => readonly Post[];

/** The JSON body for an incoming webhook. Escapes everything that the chat would read as markup. */
export type ChatFormat = (message: Message) => unknown;

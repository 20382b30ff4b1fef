import type { Message } from './message.ts';

/** A team chat that takes alerts at an incoming webhook. */
export interface ChatChannel {
  /** The body to POST there, to be sent as JSON. Escapes whatever the chat would read as markup. */
  formatPost(message: Message): unknown;
}

import type { Message } from './message.ts';

/** A team chat that takes alerts at an incoming webhook. */
export interface ChatChannel {
  /** Builds the body to POST to the webhook; it is sent as JSON. Escapes whatever the chat would read as markup. */
  formatPost(message: Message): unknown;
}

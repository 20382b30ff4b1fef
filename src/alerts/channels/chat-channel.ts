import type { Message } from './message.ts';

/** A team chat that takes alerts at an incoming webhook. */
export interface ChatChannel {
  /** Builds the JSON body to POST to the webhook. Escapes everything that the chat would read as markup. */
  formatPost(message: Message): unknown;
}

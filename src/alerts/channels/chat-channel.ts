import type { Message } from './message.ts';

export interface ChatChannel {
  /** The JSON body. Escapes everything that the chat would read as markup. */
  formatPost(message: Message): unknown;
}

import { cut } from '#domain/base/text-length';
import { writeLines } from './text.ts';
import type { PostsFormat } from './post.ts';

const SERVER = 'https://api.telegram.org';
const TEXT_CHARACTERS = 4_000;

/** Without `parse_mode`, so no text is markup, and without previews of links. */
export const telegram: PostsFormat<'telegram'> = (message, { token, chat_id, server = SERVER }) => {
  const { title, link } = message;
  // `@name` would mention a member of the chat.
  const whole = `${title}\n\n${writeLines(message)}`.replaceAll('@', '@\u200b');
  const text = cut(whole, TEXT_CHARACTERS);
  return [
    {
      url: `${server.replace(/\/$/, '')}/bot${token}/sendMessage`,
      body: {
        chat_id,
        text: `${text}\n\n${link.label}: ${link.url}`,
        link_preview_options: { is_disabled: true },
      },
    },
  ];
};

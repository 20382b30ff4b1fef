import { cutBytes, writeLines } from './text.ts';
import { cut } from '#domain/base/text-length';
import type { Message } from './message.ts';
import type { PostsFormat } from './post.ts';

const PRIORITIES: Record<Message['level'], number> = {
  warning: 3,
  failure: 4,
  recovery: 3,
  test: 3,
};
const TAGS: Record<Message['level'], string> = {
  warning: 'warning',
  failure: 'rotating_light',
  recovery: 'white_check_mark',
  test: 'bell',
};
const TITLE_CHARACTERS = 200;
/** The server turns longer messages into files. */
const MESSAGE_BYTES = 4_000;

/** Published as JSON at the server's root, as plain text. */
export const ntfy: PostsFormat<'ntfy'> = (message, { url, token }) => {
  const { origin, pathname } = new URL(url);
  const { level, title, link } = message;
  return [
    {
      url: `${origin}/`,
      headers: token === undefined ? [] : [['Authorization', `Bearer ${token}`]],
      body: {
        topic: pathname.replaceAll('/', ''),
        title: cut(title, TITLE_CHARACTERS),
        message: cutBytes(writeLines(message), MESSAGE_BYTES),
        priority: PRIORITIES[level],
        tags: [TAGS[level]],
        click: link.url,
      },
    },
  ];
};

import { cut } from '#domain/base/text-length';
import type { ChatFormat } from './post.ts';
import { LEVEL_COLORS, writeMarkdown } from './text.ts';

/** Discord counts the escapes, too. */
const TITLE_CHARACTERS = 256;

/** Mentions are disabled, so that no name pings anyone. */
export const discord: ChatFormat = (message) => ({
  allowed_mentions: { parse: [] },
  embeds: [
    {
      title: cut(escapeMarkdown(message.title), TITLE_CHARACTERS),
      url: message.link.url,
      color: Number.parseInt(LEVEL_COLORS[message.level].slice(1), 16),
      fields: message.facts.map(({ label, value }) => ({
        name: label,
        value: escapeMarkdown(value),
        inline: true,
      })),
      description: writeMarkdown(message, (text) => text),
    },
  ],
});

function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>#\-[\]()<@]/g, '\\$&');
}

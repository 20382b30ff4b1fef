import { cut } from '#domain/base/text-length';
import type { ChatFormat } from './post.ts';
import { LEVEL_COLORS, writeMarkdown } from './text.ts';

const TITLE_CHARACTERS = 250;

/**
 * Mattermost reads Markdown, `@` mentions and Slack's mentions (`<!channel>`) everywhere. A zero-width space after `@`
 * and `<` prevents mentions.
 */
export const mattermost: ChatFormat = (message) => ({
  attachments: [
    {
      fallback: escapeMarkdown(message.title),
      color: LEVEL_COLORS[message.level],
      title: escapeMarkdown(cut(message.title, TITLE_CHARACTERS)),
      title_link: message.link.url,
      fields: message.facts.map(({ label, value }) => ({
        title: label,
        value: escapeMarkdown(value),
        short: true,
      })),
      text: writeMarkdown(message, breakMentions),
    },
  ],
});

function escapeMarkdown(text: string): string {
  return breakMentions(text.replace(/[\\*_~`|#\-[\]()!]/g, '\\$&'));
}

function breakMentions(text: string): string {
  return text.replace(/[@<]/g, '$&\u200b');
}

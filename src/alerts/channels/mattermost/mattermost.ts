import { cut, type Message } from '../message.ts';
import type { ChatChannel } from '../chat-channel.ts';

const COLORS: Record<Message['level'], string> = {
  warning: '#d9a200',
  failure: '#c62828',
  recovery: '#2e7d32',
  test: '#546e7a',
};
const TITLE_CHARACTERS = 250;

/**
 * Mattermost reads Markdown, `@` mentions and Slack's mentions (`<!channel>`) everywhere. A zero-width space after `@`
 * and `<` prevents mentions.
 */
export const mattermost: ChatChannel = {
  formatPost: ({ level, title, facts, excerpt, link, runbook }: Message) => ({
    attachments: [
      {
        fallback: escapeMarkdown(title),
        color: COLORS[level],
        title: escapeMarkdown(cut(title, TITLE_CHARACTERS)),
        title_link: link.url,
        fields: facts.map(({ label, value }) => ({
          title: label,
          value: escapeMarkdown(value),
          short: true,
        })),
        text: [
          ...(excerpt === null ? [] : [codeBlock(excerpt)]),
          ...[link, ...(runbook === null ? [] : [runbook])].map(
            ({ label, url }) => `[${label}](${url})`,
          ),
        ].join('\n'),
      },
    ],
  }),
};

function escapeMarkdown(text: string): string {
  return breakMentions(text.replace(/[\\*_~`|#\-[\]()!]/g, '\\$&'));
}

function breakMentions(text: string): string {
  return text.replace(/[@<]/g, '$&\u200b');
}

/** A zero-width space splits backticks, so that they can't end the block. */
function codeBlock(text: string): string {
  return `\`\`\`\n${breakMentions(text).replace(/`(?=`)/g, '`\u200b')}\n\`\`\``;
}

import { cut, type Message } from '../message.ts';
import type { ChatChannel } from '../chat-channel.ts';

const COLORS: Record<Message['level'], number> = {
  warning: 0xd9a200,
  failure: 0xc62828,
  recovery: 0x2e7d32,
  test: 0x546e7a,
};
/** Discord counts the escapes, too. */
const TITLE_CHARACTERS = 256;

/** Mentions are disabled, so that no name pings anyone. */
export const discord: ChatChannel = {
  formatPost: ({ level, title, facts, excerpt, link, runbook }: Message) => ({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: cut(escapeMarkdown(title), TITLE_CHARACTERS),
        url: link.url,
        color: COLORS[level],
        fields: facts.map(({ label, value }) => ({
          name: label,
          value: escapeMarkdown(value),
          inline: true,
        })),
        description: [
          ...(excerpt === null ? [] : [codeBlock(excerpt)]),
          `[${link.label}](${link.url})`,
          ...(runbook === null ? [] : [`[${runbook.label}](${runbook.url})`]),
        ].join('\n'),
      },
    ],
  }),
};

function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>#\-[\]()<@]/g, '\\$&');
}

/** A zero-width space splits backticks, so that they can't end the block. */
function codeBlock(text: string): string {
  return `\`\`\`\n${text.replace(/`(?=`)/g, '`\u200b')}\n\`\`\``;
}

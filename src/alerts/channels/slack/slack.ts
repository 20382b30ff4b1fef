import type { Message } from '../message.ts';
import type { ChatChannel } from '../chat-channel.ts';

/** Slack refuses a longer header and counts the escapes, too. */
const HEADER_CHARACTERS = 150;

/**
 * Texts from outside are in `plain_text` or code, and Slack's syntax is escaped, so that no name can mention anyone.
 */
export const slack: ChatChannel = {
  formatPost: ({ title, facts, excerpt, link, runbook }: Message) => ({
    text: escapeText(title),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: escapeWithin(title), emoji: false } },
      {
        type: 'section',
        fields: facts.map(({ label, value }) => plainText(`${label}: ${value}`)),
      },
      ...(excerpt === null ? [] : [section(codeBlock(excerpt))]),
      section(`<${link.url}|${link.label}>`),
      ...(runbook === null ? [] : [section(`<${escapeText(runbook.url)}|${runbook.label}>`)]),
    ],
  }),
};

function plainText(text: string) {
  return { type: 'plain_text', text: escapeText(text), emoji: false };
}

function section(mrkdwn: string) {
  return { type: 'section', text: { type: 'mrkdwn', text: mrkdwn, verbatim: true } };
}

/** A zero-width space between backticks keeps three in a row from ending the block. */
function codeBlock(text: string): string {
  return `\`\`\`\n${escapeText(text).replace(/`(?=`)/g, '`\u200b')}\n\`\`\``;
}

/** Cuts before the first character whose escape doesn't fit into a header. */
function escapeWithin(title: string): string {
  const whole = escapeText(title);
  if (whole.length <= HEADER_CHARACTERS) return whole;
  let kept = '';
  for (const character of title) {
    const escaped = escapeText(character);
    if (kept.length + escaped.length >= HEADER_CHARACTERS) break;
    kept += escaped;
  }
  return `${kept}…`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

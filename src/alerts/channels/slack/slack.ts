import type { Message } from '../message.ts';
import type { ChatChannel } from '../chat-channel.ts';

/** Slack's limit for a header block, escapes included. Slack refuses a post that exceeds it. */
const HEADER_CHARACTERS = 150;

/**
 * Slack's Block Kit at an incoming webhook. Texts from outside are put where there is no markup (`plain_text`, code),
 * and the characters of Slack's syntax are escaped, so that no name can call a channel.
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

/** A code block. A zero-width space between backticks keeps three in a row from ending the block. */
function codeBlock(text: string): string {
  return `\`\`\`\n${escapeText(text).replace(/`(?=`)/g, '`\u200b')}\n\`\`\``;
}

/** Escapes a title, and cuts it before the first character whose escape would not fit into a header. */
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

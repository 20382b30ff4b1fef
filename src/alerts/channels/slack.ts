import type { ChatFormat } from './post.ts';
import { codeBlock, escapeAngles, linksOf } from './text.ts';

/** Slack refuses a longer header and counts the escapes, too. */
const HEADER_CHARACTERS = 150;

/**
 * Texts from outside are in `plain_text` or code, and Slack's syntax is escaped, so that no name can mention anyone.
 */
export const slack: ChatFormat = (message) => ({
  text: escapeAngles(message.title),
  mrkdwn: false,
  unfurl_links: false,
  unfurl_media: false,
  blocks: [
    {
      type: 'header',
      text: { type: 'plain_text', text: escapeWithin(message.title), emoji: false },
    },
    {
      type: 'section',
      fields: message.facts.map(({ label, value }) => plainText(`${label}: ${value}`)),
    },
    ...(message.excerpt === null ? [] : [section(codeBlock(escapeAngles(message.excerpt)))]),
    ...linksOf(message).map(({ label, url }) => section(`<${escapeAngles(url)}|${label}>`)),
  ],
});

function plainText(text: string) {
  return { type: 'plain_text', text: escapeAngles(text), emoji: false };
}

function section(mrkdwn: string) {
  return { type: 'section', text: { type: 'mrkdwn', text: mrkdwn, verbatim: true } };
}

/** Cuts before the first character whose escape doesn't fit into a header. */
function escapeWithin(title: string): string {
  const whole = escapeAngles(title);
  if (whole.length <= HEADER_CHARACTERS) return whole;
  let kept = '';
  for (const character of title) {
    const escaped = escapeAngles(character);
    if (kept.length + escaped.length >= HEADER_CHARACTERS) break;
    kept += escaped;
  }
  return `${kept}…`;
}

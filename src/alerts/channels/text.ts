import type { Link, Message } from './message.ts';

export const LEVEL_COLORS: Record<Message['level'], `#${string}`> = {
  warning: '#d9a200',
  failure: '#c62828',
  recovery: '#2e7d32',
  test: '#546e7a',
};

export function linksOf({ link, runbook }: Message): Link[] {
  return runbook === null ? [link] : [link, runbook];
}

export function writeLines({ facts, runbook, excerpt }: Message): string {
  return [
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    ...(runbook === null ? [] : [`${runbook.label}: ${runbook.url}`]),
    ...(excerpt === null ? [] : ['', 'The response began:', excerpt]),
  ].join('\n');
}

/** The excerpt and the links. */
export function writeMarkdown(message: Message, escape: (text: string) => string): string {
  const { excerpt } = message;
  return [
    ...(excerpt === null ? [] : [codeBlock(escape(excerpt))]),
    ...linksOf(message).map(({ label, url }) => `[${label}](${url})`),
  ].join('\n');
}

/** A zero-width space splits backticks, so that they can't end the block. */
export function codeBlock(text: string): string {
  return `\`\`\`\n${text.replace(/`(?=`)/g, '`\u200b')}\n\`\`\``;
}

export function escapeAngles(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Bytes of UTF-8, at the end of a whole character. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= most) return text;
  // A cut character decodes to U+FFFD.
  const kept = bytes
    .subarray(0, most - 3)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return `${kept}…`;
}

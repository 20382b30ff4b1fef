import type { Message } from './message.ts';

/** Writes the lines below the title without markup. */
export function writeLines({ facts, runbook, excerpt }: Message): string {
  return [
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    ...(runbook === null ? [] : [`${runbook.label}: ${runbook.url}`]),
    ...(excerpt === null ? [] : ['', 'The response began:', excerpt]),
  ].join('\n');
}

/** Cuts a text to at most `most` bytes of UTF-8, at the end of a whole character. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= most) return text;
  // A character that was cut in two decodes to U+FFFD.
  const kept = bytes
    .subarray(0, most - 3)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return `${kept}…`;
}

import type { Message } from './message.ts';

/** What is said below the title, for readers that know no markup. */
export function writeLines({ facts, runbook, excerpt }: Message): string {
  return [
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    ...(runbook === null ? [] : [`${runbook.label}: ${runbook.url}`]),
    ...(excerpt === null ? [] : ['', 'The response began:', excerpt]),
  ].join('\n');
}

/** A text of so many bytes at most, in UTF-8, cut at a whole character. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= most) return text;
  // What is left of a character that was cut in two is one that stands for no other.
  const kept = bytes
    .subarray(0, most - 3)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return `${kept}…`;
}

import type { Message } from './message.ts';

export function writeLines({ facts, runbook, excerpt }: Message): string {
  return [
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    ...(runbook === null ? [] : [`${runbook.label}: ${runbook.url}`]),
    ...(excerpt === null ? [] : ['', 'The response began:', excerpt]),
  ].join('\n');
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

import type { HeaderList } from './exchange.ts';

/** Headers as the JSON object of §2.1, in their order. Written by hand: an object of ours would sort `1` first. */
export function formatHeaderJson(headers: HeaderList): string {
  const members = headers.map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{${members.join(', ')}}`;
}

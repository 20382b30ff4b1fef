import type { HeaderList } from './exchange.ts';

/**
 * Headers as the JSON object of §2.1, in their order. Written by hand because a JavaScript object would move a key
 * such as `1` to the front.
 */
export function formatHeaderJson(headers: HeaderList): string {
  const members = headers.map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{${members.join(', ')}}`;
}

import type { HeaderList } from './exchange.ts';

interface CommandRequest {
  method: string;
  url: string;
  headers: HeaderList;
  body: string | null;
}

export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** With options that switch off curl's own headers. */
export function writeCurl({ method, url, headers, body }: CommandRequest): string {
  const parts = [`curl --globoff --request ${method} ${quoteForShell(url)}`];
  for (const [name, value] of headers) {
    // curl drops a header without a value unless its name ends in a semicolon.
    parts.push(`--header ${quoteForShell(value === '' ? `${name};` : `${name}: ${value}`)}`);
  }
  if (body !== null) parts.push(`--data-raw ${quoteForShell(body)}`);
  return parts.join(' \\\n  ');
}

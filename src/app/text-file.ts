import { createReadStream } from 'node:fs';

const MOST_BYTES = 4 * 1024 * 1024;

/** `-` is standard input. */
export async function readTextFile(path: string): Promise<{ text: string } | { fault: string }> {
  try {
    const bytes = await gather(path === '-' ? process.stdin : createReadStream(path));
    if (bytes === null) return { fault: 'is larger than 4 MiB' };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (fault) {
    const { code = 'unknown' } = fault as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { fault: 'is no text in UTF-8' };
    return { fault: `cannot be read (${code})` };
  }
}

/** Null for more than `MOST_BYTES`. */
async function gather(stream: AsyncIterable<Buffer>): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

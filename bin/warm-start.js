import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Where V8 keeps what it has compiled: a start then reads it, instead of stripping types and compiling anew. */
export const COMPILE_CACHE = fileURLToPath(new URL('../build/compile-cache', import.meta.url));
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const LIMIT_MS = 8_000;

/**
 * Starts the service once on an empty database in memory, opens one page and stops it, so that the first
 * real start finds everything compiled. Nothing depends on it: what goes wrong here only leaves that start slower.
 */
export async function warmUpStart() {
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...(process.env.PATH === undefined ? {} : { PATH: process.env.PATH }),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      DATABASE_URL: 'sqlite::memory:',
      HOST: '127.0.0.1',
      PORT: '0',
    },
  });
  const ended = once(child, 'close').catch(() => {});
  const tooLong = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  try {
    const address = await findAddress(child.stdout);
    if (address) await (await fetch(`${address}/setup`)).text();
  } catch {
    // The real start will tell.
  } finally {
    child.kill();
    await ended;
    clearTimeout(tooLong);
  }
}

/** Null where the output ends without telling it. */
function findAddress(output) {
  let text = '';
  return new Promise((resolve) => {
    output.on('data', (chunk) => {
      text += chunk;
      const found = /is ready at (http:\/\/[^\s"]+)/.exec(text);
      if (found) resolve(found[1]);
    });
    output.once('close', () => resolve(null));
  });
}

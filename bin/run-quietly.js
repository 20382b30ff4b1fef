import { spawn } from 'node:child_process';

/** The reason of a failure is at the end. */
const KEPT_BYTES = 256 * 1024;

/**
 * Prints one line: `what`, and on a terminal the elapsed time. The command's output follows only if it fails.
 *
 * @param {string} what
 * @param {{ file: string, args: string[], cwd: string, env: NodeJS.ProcessEnv }} command
 * @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY'>} out
 * @returns {Promise<boolean>} whether it succeeded
 */
export async function runQuietly(what, { file, args, cwd, env }, out = process.stderr) {
  const startedMs = performance.now();
  const seconds = () => Math.round((performance.now() - startedMs) / 1000);
  out.write(out.isTTY ? what : `${what}\n`);
  const showing = out.isTTY && setInterval(() => out.write(`\r${what}: ${seconds()} s`), 1000);
  const { succeeded, words } = await runAndKeep(file, args, { cwd, env });
  clearInterval(showing);
  if (out.isTTY) out.write(`\r${what}: ${succeeded ? 'done in' : 'failed after'} ${seconds()} s\n`);
  if (!succeeded) out.write(words);
  return succeeded;
}

function runAndKeep(file, args, options) {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let words = '';
  const keep = (chunk) => {
    words = (words + chunk).slice(-KEPT_BYTES);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ succeeded: false, words: `${error.message}\n` }));
    child.once('close', (code) => resolve({ succeeded: code === 0, words }));
  });
}

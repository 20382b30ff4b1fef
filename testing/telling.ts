/** Whoever runs the tests (run.ts) takes a longer silence for a test that hangs. */
const TELL_EVERY_MS = 30_000;

/** Prints a line now and then while a long test runs, until it is disposed of. */
export function startTelling(say: () => string): Disposable {
  const telling = setInterval(() => process.stdout.write(`${say()}\n`), TELL_EVERY_MS);
  return { [Symbol.dispose]: () => clearInterval(telling) };
}

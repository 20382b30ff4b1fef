const REPORT_EVERY_MS = 30_000;

/** Prints a line now and then while a long test runs, until it is disposed of. */
export function reportProgress(say: () => string): Disposable {
  const timer = setInterval(() => process.stdout.write(`${say()}\n`), REPORT_EVERY_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

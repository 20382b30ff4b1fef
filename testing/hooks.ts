import { after, before as beforeAll } from 'node:test';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs hooks one after the other. Node starts all `before` hooks at the top of a file at once if it runs the file by
 * itself.
 */
export function before(hook: () => unknown): void {
  beforeAll(() => (last = last.catch(() => {}).then(hook)));
}

/** Starts before the tests of a file or suite, after the hooks declared above it, and ends after them. */
export function useStarted<T extends AsyncDisposable>(start: () => Promise<T>): T {
  const started = {} as T;
  before(async () => void Object.assign(started, await start()));
  after(() => started[Symbol.asyncDispose]());
  return started;
}

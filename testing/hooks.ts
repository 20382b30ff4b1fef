import { before as beforeAll } from 'node:test';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs hooks one after the other. Node starts all `before` hooks at the top of a file at once if it runs the file by
 * itself.
 */
export function before(hook: () => unknown): void {
  beforeAll(() => (last = last.catch(() => {}).then(hook)));
}

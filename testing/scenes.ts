import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { type Receiver, startReceiver } from './receiver.ts';
import { startService, type TestService, type TestServiceOptions } from './service.ts';
import type { OpenTestStore } from './stores.ts';

export interface Scene {
  service: TestService;
  receiver: Receiver;
  /** Waits until the receiver has got so many requests in all, no more, and all outcomes are stored. */
  sent: (count: number) => Promise<void>;
}

export type StartScene = (
  options?: TestServiceOptions & Parameters<typeof startReceiver>[0],
) => Promise<Scene>;

/** A service and a receiver for its requests, for one test, with which they end. */
export function useScenes(openTestStore: OpenTestStore): StartScene {
  const opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).toReversed()) await each[Symbol.asyncDispose]();
  });
  return async (options = {}) => {
    const receiver = await startReceiver(options);
    opened.push(receiver);
    const service = await startService(openTestStore, options);
    opened.push(service);
    const sent = async (count: number) => {
      await receiver.waitFor(count);
      await service.quiet();
      assert.equal(receiver.requests.length, count);
    };
    return { service, receiver, sent };
  };
}

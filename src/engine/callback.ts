import type { ExchangeUser } from '#domain/http/exchange';
import { buildPost } from '#domain/http/request';
import { signRequest } from '#domain/http/signature';
import type { ClaimedCallback } from '#store/callbacks/callbacks';
import type { ItemOwner } from '#store/database/group-commit';
import type { FairGroup } from './fair-scheduler.ts';
import type { RunTools } from './run-under-way.ts';
import { storeAgain } from './settling.ts';
import type { SlotHolder } from './slots.ts';

const OPTIONS = { timeoutSeconds: 10 };

/** From its claim until it is sent and deleted (§6.1). */
export class CallbackUnderWay implements SlotHolder, ExchangeUser, ItemOwner<null> {
  readonly id: string;
  readonly group: FairGroup;
  setIndex = -1;
  readonly #tools: RunTools;
  readonly #callback: ClaimedCallback;

  constructor(tools: RunTools, callback: ClaimedCallback, group: FairGroup) {
    this.id = callback.id;
    this.group = group;
    this.#tools = tools;
    this.#callback = callback;
  }

  start(): void {
    const { clock, log, sender, slots } = this.#tools;
    const { id, runId, teamId, url, body, signingSecret, unreadable } = this.#callback;
    slots.take(this);
    if (unreadable !== null) {
      log.error('callback.given-up', { callbackId: id, runId, teamId, error: unreadable });
      return this.onExchange();
    }
    try {
      const request = signRequest(buildPost(url, body), signingSecret, clock.now());
      sender.begin(request, OPTIONS, this);
    } catch (error) {
      log.error('engine.run-failed', { error });
      this.onExchange();
    }
  }

  onExchange(): void {
    const { schedulerOf, slots, store } = this.#tools;
    schedulerOf(this.group).leave(this.group);
    slots.free(this);
    store.callbacks.putEnd(this.#callback, this);
  }

  onWritten(): void {
    const { observer, slots } = this.#tools;
    slots.settle(this);
    if (this.#callback.unreadable === null) observer.callbackSent?.();
  }

  onNotWritten(fault: unknown): void {
    const end = () => this.#tools.store.callbacks.end(this.#callback);
    void storeAgain(this.#tools, [end], fault).then(() => this.onWritten());
  }
}

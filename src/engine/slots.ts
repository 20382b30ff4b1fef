import { ChurningSet, type Indexed } from '#domain/base/churning-set';
import type { FairGroup } from './fair-scheduler.ts';

/** Has a slot while its request is under way, and is listed until its end is stored. */
export interface SlotHolder extends Indexed {
  readonly id: string;
  readonly group: FairGroup;
}

/** With more unstored responses, the engine claims nothing. */
const MOST_WAITING_BYTES = 32 * 2 ** 20;
/** Beyond this, responses aren't stored: an outage of the database must not use up the memory. */
const MOST_KEPT_BYTES = 128 * 2 ** 20;

export class Slots {
  readonly inFlightByTeam = new Map<string, number>();
  /** Of responses that aren't stored yet. */
  waitingBytes = 0;
  #inFlight = 0;
  readonly #unsettled = new ChurningSet<SlotHolder>();
  readonly #onCapacity: () => void;

  /** @param onCapacity a slot is free or an end is stored */
  constructor(onCapacity: () => void) {
    this.#onCapacity = onCapacity;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get unsettled(): number {
    return this.#unsettled.size;
  }

  get unsettledIds(): Set<string> {
    return new Set(Array.from(this.#unsettled, ({ id }) => id));
  }

  get canStoreResponses(): boolean {
    return this.waitingBytes < MOST_WAITING_BYTES;
  }

  get mayKeepResponse(): boolean {
    return this.waitingBytes < MOST_KEPT_BYTES;
  }

  take(holder: SlotHolder): void {
    const { group } = holder;
    this.#unsettled.add(holder);
    this.#inFlight++;
    group.inFlight++;
    this.inFlightByTeam.set(group.teamId, (this.inFlightByTeam.get(group.teamId) ?? 0) + 1);
  }

  free({ group }: SlotHolder): void {
    this.#inFlight--;
    const left = (this.inFlightByTeam.get(group.teamId) ?? 1) - 1;
    if (left === 0) this.inFlightByTeam.delete(group.teamId);
    else this.inFlightByTeam.set(group.teamId, left);
    this.#onCapacity();
  }

  settle(holder: SlotHolder): void {
    this.#unsettled.delete(holder);
    this.#onCapacity();
  }
}

import type { FairGroup } from './fair-scheduler.ts';

/** Has a slot while its request is under way, and is listed until its end is stored. */
export interface SlotHolder {
  readonly id: string;
  readonly group: FairGroup;
  /** Only `Slots` changes it. */
  at: number;
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
  /** Unlike a set, an array keeps nothing of removed items. */
  readonly #unsettled: SlotHolder[] = [];
  readonly #onCapacity: () => void;

  /** @param onCapacity a slot is free or an end is stored */
  constructor(onCapacity: () => void) {
    this.#onCapacity = onCapacity;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get unsettled(): number {
    return this.#unsettled.length;
  }

  get unsettledIds(): Set<string> {
    return new Set(this.#unsettled.map(({ id }) => id));
  }

  get canStoreResponses(): boolean {
    return this.waitingBytes < MOST_WAITING_BYTES;
  }

  get mayKeepResponse(): boolean {
    return this.waitingBytes < MOST_KEPT_BYTES;
  }

  take(holder: SlotHolder): void {
    const { group } = holder;
    holder.at = this.#unsettled.push(holder) - 1;
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

  settle({ at }: SlotHolder): void {
    const last = this.#unsettled.pop();
    if (last !== undefined && last.at !== at) {
      this.#unsettled[at] = last;
      last.at = at;
    }
    this.#onCapacity();
  }
}

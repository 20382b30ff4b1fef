import type { Flow } from './flow-scheduler.ts';

/** A claimed run or callback. It holds a slot while its request is under way, and is listed until its end is stored. */
export interface SlotHolder {
  readonly id: string;
  readonly flow: Flow;
  /** Its index in the list of `Slots`, which alone changes it. */
  at: number;
}

/** With this many bytes of responses that are not stored yet, the engine claims nothing more. */
const MOST_WAITING_BYTES = 32 * 2 ** 20;
/** Beyond this, responses of runs that end are not stored, so that an outage of the database cannot use up the memory. */
const MOST_KEPT_BYTES = 128 * 2 ** 20;

/** Counts the runs and callbacks of this process, from their claim to their stored end. */
export class Slots {
  readonly inFlightByTeam = new Map<string, number>();
  /** The bytes of responses that are not stored yet. */
  waitingBytes = 0;
  #inFlight = 0;
  /** Unordered. Unlike a set, it keeps nothing of removed items. */
  readonly #unsettled: SlotHolder[] = [];
  readonly #onMoreRoom: () => void;

  /** @param onMoreRoom  called whenever a slot becomes free and when an end is stored */
  constructor(onMoreRoom: () => void) {
    this.#onMoreRoom = onMoreRoom;
  }

  /** How many requests hold a slot. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many ends are not stored yet, including those of requests in flight. */
  get unsettled(): number {
    return this.#unsettled.length;
  }

  /** The ids of the claims whose end is not stored yet. */
  get unsettledIds(): Set<string> {
    return new Set(this.#unsettled.map(({ id }) => id));
  }

  /** Whether the responses that are not stored yet leave room for those of further runs. */
  get hasRoomForResponses(): boolean {
    return this.waitingBytes < MOST_WAITING_BYTES;
  }

  get mayKeepResponse(): boolean {
    return this.waitingBytes < MOST_KEPT_BYTES;
  }

  take(holder: SlotHolder): void {
    const { flow } = holder;
    holder.at = this.#unsettled.push(holder) - 1;
    this.#inFlight++;
    flow.inFlight++;
    this.inFlightByTeam.set(flow.teamId, (this.inFlightByTeam.get(flow.teamId) ?? 0) + 1);
  }

  /** Frees the slot: the request has ended. */
  free({ flow }: SlotHolder): void {
    this.#inFlight--;
    const left = (this.inFlightByTeam.get(flow.teamId) ?? 1) - 1;
    if (left === 0) this.inFlightByTeam.delete(flow.teamId);
    else this.inFlightByTeam.set(flow.teamId, left);
    this.#onMoreRoom();
  }

  /** Removes a run or callback whose end is stored. */
  settle({ at }: SlotHolder): void {
    const last = this.#unsettled.pop();
    if (last !== undefined && last.at !== at) {
      this.#unsettled[at] = last;
      last.at = at;
    }
    this.#onMoreRoom();
  }
}

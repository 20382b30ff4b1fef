/** Ids are UUIDs of version 7, so that they sort by the time at which they were made (§1.2). */

import { randomInt } from 'node:crypto';

import { v7, validate, version } from 'uuid';

// The last id's millisecond and its number within it: what one process makes in one millisecond sorts in the
// order of making, so jobs accepted together start in that order.
const last = { ms: -1, sequence: 0 };

/** An id has 48 bits for its time (RFC 9562, 5.7). */
const LATEST_MS = 2 ** 48 - 1;

/** @param nowMs  the clock's time, in whole milliseconds since 1970 UTC */
export function newId(nowMs: number): string {
  if (nowMs === last.ms) {
    last.sequence++;
  } else {
    last.ms = nowMs;
    // Starting low in the 32 bits leaves room to count on.
    last.sequence = randomInt(2 ** 31);
  }
  return v7({ msecs: nowMs, seq: last.sequence });
}

/** No id made at this time or later sorts before it: where a search for what was made since begins. */
export function earliestIdAt(nowMs: number): string {
  const held = Math.min(Math.max(0, Math.trunc(nowMs)), LATEST_MS);
  const time = held.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** Whether a text from outside is shaped like an id of ours. */
export function isId(text: string): boolean {
  return validate(text) && version(text) === 7;
}

/** Ids are UUIDs of version 7, so that they sort by the time of their creation (§1.2). */

import { randomInt } from 'node:crypto';

import { v7, validate, version } from 'uuid';

// The millisecond of the last id, and its number within it. Ids that one process makes in the same millisecond sort
// in the order of creation, so jobs that were accepted together start in that order.
const last = { ms: -1, sequence: 0 };

/** The largest time that fits into the 48 bits of an id (RFC 9562, 5.7). */
const LATEST_MS = 2 ** 48 - 1;

/** @param nowMs  the clock's time, in whole milliseconds since 1970 UTC */
export function newId(nowMs: number): string {
  if (nowMs === last.ms) {
    last.sequence++;
  } else {
    last.ms = nowMs;
    // A start in the lower half of the 32 bits leaves room to count up.
    last.sequence = randomInt(2 ** 31);
  }
  return v7({ msecs: nowMs, seq: last.sequence });
}

/**
 * The smallest id of a given time. Every id made at this time or later sorts at or behind it, so a search can begin
 * here.
 */
export function earliestIdAt(nowMs: number): string {
  const held = Math.min(Math.max(0, Math.trunc(nowMs)), LATEST_MS);
  const time = held.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** Sorts before and after every other id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Matches any UUID, in any case and of any version. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a text looks like an id to a person. No team may have such a name, because commands take both. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Whether a text from outside has the form of our ids. */
export function isId(text: string): boolean {
  return validate(text) && version(text) === 7;
}

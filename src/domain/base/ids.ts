import { randomInt } from 'node:crypto';

import { v7, validate, version } from 'uuid';

// Ids of one process sort in the order of creation even within a millisecond, so jobs start in the order of acceptance.
const last = { ms: -1, sequence: 0 };

/** The largest time in the 48 bits of an id (RFC 9562, 5.7). */
const LATEST_MS = 2 ** 48 - 1;

/** @param nowMs whole milliseconds since 1970 UTC */
export function newId(nowMs: number): string {
  if (nowMs === last.ms) {
    last.sequence++;
  } else {
    last.ms = nowMs;
    // Starts in the lower half, so that it can be incremented.
    last.sequence = randomInt(2 ** 31);
  }
  return v7({ msecs: nowMs, seq: last.sequence });
}

/** Ids of this time or later sort at or behind it. */
export function earliestIdAt(nowMs: number): string {
  const clamped = Math.min(Math.max(0, Math.trunc(nowMs)), LATEST_MS);
  const time = clamped.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** In any case and of any version. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A team's name can't look like an id, because commands take both. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function isId(text: string): boolean {
  return validate(text) && version(text) === 7;
}

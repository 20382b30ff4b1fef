import assert from 'node:assert/strict';

/** Processor time, for tests of what work costs: unlike the time of the clock it does not grow with the machine's load. */

/** Milliseconds. */
export function threadMs(): number {
  return millisOf(process.threadCpuUsage());
}

/** Of all its threads, in milliseconds. */
export function processMs(): number {
  return millisOf(process.cpuUsage());
}

function millisOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

/** What `calibrate` takes on the machine for which the tests' limits are written down. */
const CALIBRATION_MS = 20;
const SAMPLE = `[${'{"a":[1,"b c",null]},'.repeat(20_000)}1]`;
/** Code is compiled, and memory is collected, at moments that no test chooses. */
const TRIES = 5;
/**
 * How far one kind of work can slow down more than `calibrate` does: code that isn't compiled yet took four times its
 * time on a busy machine. Work that grows with the square of its input takes hundreds of times the limit.
 */
const SPREAD = 4;

/** How much slower this machine is now than that one, by a fixed piece of work; at least 1. */
function slowness(): number {
  const from = threadMs();
  calibrate();
  return Math.max(1, (threadMs() - from) / CALIBRATION_MS);
}

/** Parses, writes, replaces and scans text, as the work does that is measured. */
function calibrate(): number {
  let sum = 0;
  for (let round = 0; round < 3; round++) {
    const written = JSON.stringify(JSON.parse(SAMPLE));
    sum += written.replaceAll(/[ab]/g, (letter) => letter.toUpperCase()).length;
    for (let at = 0; at < SAMPLE.length; at++) sum += SAMPLE.charCodeAt(at) & 1;
  }
  return sum;
}

/**
 * Asserts that work takes at most so many milliseconds of this thread's processor time on a machine of the usual speed,
 * or `SPREAD` times as many on others. One try of five suffices.
 */
export function assertSpends(
  mostMs: number,
  work: () => unknown,
  what = 'the work',
): Promise<void> {
  return assertWithin(mostMs, what, async () => {
    const from = threadMs();
    await work();
    return threadMs() - from;
  });
}

/** The same of each turn of the event loop that the work takes. */
export function assertTurns(
  mostMs: number,
  work: () => Promise<unknown>,
  what = 'the work',
): Promise<void> {
  return assertWithin(mostMs, `a turn of ${what}`, () => measureLongestTurn(work));
}

/** Looks at most every millisecond: looking at each turn would take all the time in which the work waits. */
async function measureLongestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadMs();
  const look = () => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const looking = setInterval(look, 1);
  await work();
  clearInterval(looking);
  look();
  return longest;
}

async function assertWithin(
  mostMs: number,
  what: string,
  measure: () => Promise<number>,
): Promise<void> {
  const spent: string[] = [];
  while (spent.length < TRIES) {
    const ms = await measure();
    if (ms <= mostMs || ms <= mostMs * SPREAD * slowness()) return;
    spent.push(ms.toFixed(0));
  }
  assert.fail(`${what} took ${spent.join(', ')} ms, more than ${SPREAD} × ${mostMs} ms`);
}

/** Posts jobs over HTTP at a steady rate, each due a second later, and measures how late they arrive. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { openApi } from './api.ts';
import { type DatabaseName, type Places, type Service, startService } from './place.ts';
import { at, format, ms, section } from './table.ts';
import type { Target } from './target.ts';

interface Rate {
  perSecond: number;
  seconds: number;
}

const TICK_MS = 5;
const CONNECTIONS = 64;
const DELAY_SECONDS = 1;
const WARM_UP_MS = 2_000;
const LAST_ONES_MS = 5_000;

export async function measureSteady(
  places: Places,
  target: Target,
  databases: readonly DatabaseName[],
  { perSecond, seconds }: Rate,
): Promise<string> {
  const rows: string[][] = [];
  for (const database of databases) {
    await using service = await startService(places, database);
    await warmUp(service, target, perSecond);
    await using poster = openPoster(service, target);
    await poster.postFor(seconds * 1000, perSecond);
    await delay(DELAY_SECONDS * 1000 + LAST_ONES_MS);
    const late = await poster.takeLate();
    const { posted, arrived, twice } = poster.counted;
    const early = late.filter((each) => each < 0).length;
    const counts = [`${format(arrived)} of ${format(posted)}`, String(twice), String(early)];
    const lateness = [0.5, 0.99, 1].map((share) => ms(at(late, share)));
    rows.push([database, format(posted / seconds), ...counts, ...lateness]);
  }
  const intro =
    'Jobs posted over HTTP and due a second later, after two seconds of warm-up. Lateness is the time from the due time to the arrival at the target.';
  const head = ['', 'a second', 'arrived', 'twice', 'early', 'median', '99 %', 'latest'];
  return section('Lateness under a steady load', [intro], head, rows);
}

/** The poster, the service and the target become fast only after some work. */
async function warmUp(service: Service, target: Target, perSecond: number): Promise<void> {
  await using poster = openPoster(service, target);
  await poster.postFor(WARM_UP_MS, perSecond);
  await delay(DELAY_SECONDS * 1000 * 2);
  await poster.takeLate();
}

/** Posts jobs that are due a second later, and compares them with what arrives. */
function openPoster(service: Service, target: Target) {
  const api = openApi(service, CONNECTIONS);
  // Each poster has its own prefix, so that it ignores jobs of others.
  const prefix = `/${randomUUID()}/`;
  /** The due time of each job; its arrival removes the entry. */
  const due = new Map<number, number>();
  const gone = new Set<number>();
  const counted = { posted: 0, arrived: 0, twice: 0 };
  const post = async () => {
    const number = counted.posted++;
    const url = `${target.url}${prefix}${number}`;
    const job = { queue: 'steady', url, payload: { n: 1 }, delay: DELAY_SECONDS };
    const { status, jobId } = await api.post(job);
    if (status === 201) due.set(number, acceptedAt(jobId) + DELAY_SECONDS * 1000);
  };
  const postFor = async (forMs: number, perSecond: number) => {
    const from = performance.now();
    let started = 0;
    let underWay = 0;
    for (;;) {
      const elapsed = performance.now() - from;
      if (elapsed >= forMs) return;
      const wanted = Math.min((elapsed * perSecond) / 1000, started + CONNECTIONS - underWay);
      while (started < wanted) {
        started++;
        underWay++;
        void post().finally(() => underWay--);
      }
      await delay(TICK_MS);
    }
  };
  /** The lateness of jobs that arrived since the last call, smallest first. */
  const takeLate = async () => {
    const late: number[] = [];
    for (const [path, when] of await target.take()) {
      if (!path.startsWith(prefix)) continue;
      const number = Number(path.slice(prefix.length));
      const dueAt = due.get(number);
      if (dueAt !== undefined) late.push(when - dueAt);
      if (gone.has(number)) counted.twice++;
      due.delete(number);
      gone.add(number);
    }
    counted.arrived = gone.size;
    return late.toSorted((a, b) => a - b);
  };
  const end = () => api[Symbol.asyncDispose]();
  return { postFor, takeLate, counted, [Symbol.asyncDispose]: end };
}

/** A job's id begins with the milliseconds of its acceptance. */
function acceptedAt(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

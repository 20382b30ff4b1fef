import { setTimeout as delay } from 'node:timers/promises';
import type { Scene } from './scene.ts';
import { CRON_PATH, type Kind, pathOf, callbackPathOf } from './target.ts';

export interface Posted {
  cell: number;
  accepted: Map<string, string>;
  /** The paths of all jobs that were posted and want a callback. */
  wantsCallback: Set<string>;
  /** How often each other status was answered; 0 where no answer came. */
  refusals: Map<number, number>;
}

/** A service in trouble may take as long as this to say so. */
const ANSWER_WITHIN_MS = 12_000;
const POST_EVERY_MS = 100;

export class Load {
  readonly #scene: Scene;
  readonly posted: Posted;
  readonly #counts = new Map<Kind, number>();
  #next = 0;

  constructor(scene: Scene, cell: number) {
    this.#scene = scene;
    this.posted = { cell, accepted: new Map(), wantsCallback: new Set(), refusals: new Map() };
  }

  /** Gives its path; null if it was not accepted. */
  async post(kind: Kind, delaySeconds = 0): Promise<string | null> {
    const { target, nodes, token } = this.#scene;
    const n = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, n + 1);
    const path = pathOf({ cell: this.posted.cell, kind, n });
    const wantsCallback = n % 2 === 1 || kind === 'callback';
    if (wantsCallback) this.posted.wantsCallback.add(path);
    const node = nodes[this.#next++ % nodes.length];
    const body = {
      queue: kind === 'single' ? 'single' : 'plain',
      url: target.url + path,
      delay: delaySeconds,
      ...(wantsCallback && { callback_url: target.url + callbackPathOf(path) }),
    };
    try {
      const response = await fetch(`${node?.belfry.url}/api/jobs`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          Accept: 'application/json',
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const answer = (await response.json()) as { job_id?: string };
      if (response.status === 201) this.posted.accepted.set(String(answer.job_id), path);
      else this.#refused(response.status);
      return response.status === 201 ? path : null;
    } catch {
      this.#refused(0);
      return null;
    }
  }

  #refused(status: number): void {
    const { refusals } = this.posted;
    refusals.set(status, (refusals.get(status) ?? 0) + 1);
  }

  /** All that is in flight, waits or is about to fall due when the fault begins; resolves when all of it is. */
  async prepare(lastsMs: number): Promise<void> {
    const { target, operate, cronId } = this.#scene;
    const cronRuns = target.answersAt(CRON_PATH).length;
    const many = (count: number, kind: Kind, delayOf = (_n: number) => 0) =>
      Promise.all(Array.from({ length: count }, (_, n) => this.post(kind, delayOf(n))));
    const [answered, long, single, callbacks] = await Promise.all([
      many(6, 'answered'),
      many(3, 'long'),
      this.post('single'),
      many(2, 'callback'),
      operate('cron', 'run', '--id', cronId),
    ]);
    await target.untilAsked([...answered, ...long, single].map(String));
    await target.untilAsked(callbacks.map((path) => callbackPathOf(String(path))));
    await target.until(() => target.answersAt(CRON_PATH).length > cronRuns, 'a run of the cron');
    await many(3, 'single');
    const lastDueSeconds = Math.max(2, Math.min(10, lastsMs / 1000));
    await many(4, 'due', (n) => Math.ceil(((n + 1) * lastDueSeconds) / 5));
    await many(12, 'brief');
  }

  /** Posts a job at intervals until aborted, also while earlier ones fail. */
  async trickle(until: AbortSignal): Promise<void> {
    const posts: Promise<unknown>[] = [];
    while (!until.aborted) {
      posts.push(this.post('brief'));
      await delay(POST_EVERY_MS);
    }
    await Promise.all(posts);
  }

  /** Posts jobs until as many are accepted: the service is well again. */
  async finish(count: number, withinMs: number): Promise<void> {
    const limit = performance.now() + withinMs;
    for (let accepted = 0; accepted < count;) {
      if ((await this.post('brief')) !== null) accepted++;
      else if (performance.now() > limit) throw new Error(`still refused after ${withinMs} ms`);
      else await delay(200);
    }
  }
}

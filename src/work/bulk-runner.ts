import { randomUUID } from 'node:crypto';
import type { Log } from '#domain/log';
import { countWithin } from '#domain/rate';
import type { ClaimedTask } from '#store/jobs/bulk-tasks';
import type { FoundJob } from '#store/lists/lists';
import type { Store } from '#store/store';
import { act, MOST_SPREAD_MS, movedBy } from './bulk-actions.ts';

interface BulkRunnerOptions {
  store: Store;
  log: Log;
  batch?: number;
  /** At least as long as the batch took. */
  pauseMs?: number;
}

const CLAIM_MS = 30_000;
const LOOK_EVERY_MS = 500;
const KEEP_TASKS_MS = 7 * 86_400_000;
const TIDY_EVERY_MS = 3_600_000;

/**
 * Each node handles one task at a time, in small batches with pauses, so that claims and settlements continue. After a
 * crash nothing is done twice: fired and deleted jobs are no longer found, and jobs retried since the task was made are
 * skipped. A batch of a spread retry may come due together with the previous one.
 */
export class BulkRunner {
  readonly #store: Store;
  readonly #log: Log;
  readonly #batch: number;
  readonly #pauseMs: number;
  readonly #workerId = randomUUID();
  #isStopping = false;
  #tidiedAt = 0;
  #running: Promise<void> | null = null;
  #endPause: () => void = () => {};

  constructor({ store, log, batch = 100, pauseMs = 40 }: BulkRunnerOptions) {
    this.#store = store;
    this.#log = log;
    this.#batch = batch;
    this.#pauseMs = pauseMs;
  }

  start(): void {
    this.#running ??= this.#loop();
  }

  /** An unfinished task continues after the next start, on this node or another. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#endPause();
    await this.#running;
  }

  /** For tests. */
  async runOpen(): Promise<void> {
    for (;;) {
      const task = await this.#claim();
      if (task === null) return;
      await this.#work(task, 0);
    }
  }

  async #loop(): Promise<void> {
    while (!this.#isStopping) {
      try {
        const task = await this.#claim();
        if (task) await this.#work(task, this.#pauseMs);
        else await this.#tidy();
        if (!task) await this.#pause(LOOK_EVERY_MS);
      } catch (error) {
        this.#log.warn('bulk.failed', { error: (error as Error).message });
        await this.#pause(LOOK_EVERY_MS);
      }
    }
  }

  #claim(): Promise<ClaimedTask | null> {
    const { bulkTasks, clock } = this.#store;
    return bulkTasks.claim(this.#workerId, clock.now(), CLAIM_MS);
  }

  async #work(task: ClaimedTask, pauseMs: number): Promise<void> {
    let { cursor, done } = task;
    for (;;) {
      const startedAt = this.#store.clock.monotonicMs();
      const step = await this.#step(task, cursor, done).catch(knowBusy);
      if (step === null) return;
      if (step !== BUSY) ({ cursor, done } = step);
      if (this.#isStopping) return this.#giveUp(task, cursor);
      if (step === BUSY) await this.#pause(LOOK_EVERY_MS);
      const tookMs = this.#store.clock.monotonicMs() - startedAt;
      if (pauseMs > 0) await this.#pause(Math.max(pauseMs, tookMs));
    }
  }

  /** @returns where to continue; null if the task has ended or another worker has it */
  async #step(
    task: ClaimedTask,
    cursor: string | null,
    made: number,
  ): Promise<{ cursor: string; done: number } | null> {
    const { lists, bulkTasks, clock } = this.#store;
    const page = await lists.listJobs(task.teamId, task.search, {
      limit: this.#batch,
      cursor: cursor ?? undefined,
      upToId: task.upToId,
    });
    const ids = page.rows.filter((job) => isOpen(job, task)).map(({ id }) => id);
    const again = task.search.resent !== undefined && { before: task.upToId };
    const { kind, rate, actor, createdAt: from } = task;
    const spread = rate ? { rate, from, made } : undefined;
    // More jobs may have failed than were counted; those that would wait too long stay.
    const most = rate ? Math.max(0, countWithin(rate, MOST_SPREAD_MS) - made) : ids.length;
    const moved = movedBy(task.search);
    const some = { kind, ids: ids.slice(0, most), again, actor, spread, moved };
    const done = await act(this.#store, task.teamId, some);
    const now = clock.now();
    const isOurs = await bulkTasks.advance(task, this.#workerId, {
      done,
      skipped: ids.length - done,
      cursor: page.next,
      claimedUntil: now + CLAIM_MS,
      ...(page.next === null && { ended: { state: 'done' as const, at: now } }),
    });
    return isOurs && page.next !== null ? { cursor: page.next, done: made + done } : null;
  }

  async #giveUp(task: ClaimedTask, cursor: string | null): Promise<void> {
    const step = { done: 0, skipped: 0, cursor, claimedUntil: 0 };
    await this.#store.bulkTasks.advance(task, this.#workerId, step);
  }

  async #tidy(): Promise<void> {
    const now = this.#store.clock.now();
    if (now - this.#tidiedAt < TIDY_EVERY_MS) return;
    this.#tidiedAt = now;
    await this.#store.bulkTasks.forgetBefore(now - KEEP_TASKS_MS);
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isStopping) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#store.clock.after(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** One resent since the task was made is done: its new job's id has the time. */
function isOpen({ retriedAs }: FoundJob, { kind, upToId }: ClaimedTask): boolean {
  return kind !== 'retry' || retriedAs === null || retriedAs < upToId;
}

/** Tries again and keeps its claim. */
const BUSY = Symbol('busy');

function knowBusy(error: unknown): typeof BUSY {
  if (error instanceof Error && 'code' in error && error.code === 'STORE_BUSY') return BUSY;
  throw error;
}

import { EventEmitter } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { StoreError } from '../database/errors.ts';
import { serveConnection } from './connection-worker.ts';
import {
  type Answer,
  type Ask,
  type Call,
  type ConnectionThread,
  type StartThread,
  threadsClockMs,
  type WorkerSettings,
} from './protocol.ts';
import { startWorker } from './start-worker.ts';

/** No call is answered any more. */
export type OnLost = (fault: StoreError) => void;

function startThread(settings: WorkerSettings): ConnectionThread {
  return startWorker({ workerData: settings, name: settings.name });
}

/** For the caller's own thread. Throws the errors of `node:sqlite`. */
export const startHere: StartThread = (settings) => {
  const { port1: near, port2: far } = new MessageChannel();
  serveConnection(far, settings);
  const here = new EventEmitter();
  near.on('message', (answer) => here.emit('message', answer));
  near.once('close', () => here.emit('exit'));
  return Object.assign(here, { postMessage: near.postMessage.bind(near) });
};

/** Rejects with `StoreError`s. */
export class SqliteThread {
  readonly #thread: ConnectionThread;
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>();
  readonly #exited: Promise<void>;
  readonly #name: string;
  readonly #onLost: OnLost;
  #lastId = 0;
  #isClosing = false;
  #fault: StoreError | null = null;

  constructor(settings: WorkerSettings, onLost: OnLost, start: StartThread = startThread) {
    this.#name = settings.name;
    this.#onLost = onLost;
    this.#thread = start(settings);
    this.#thread.on('message', (answer: Answer) => this.#settle(answer));
    this.#thread.on('error', (error) => this.#end(error as Error));
    this.#exited = new Promise((resolve) => {
      this.#thread.once('exit', () => {
        this.#end(null);
        resolve();
      });
    });
  }

  /** With `begins`, the first of a transaction. @param asked `askedAtMs`: subtracted from the wait for a locked file */
  async run(
    sql: string,
    parameters: readonly unknown[],
    { begins = false, askedAtMs = threadsClockMs() } = {},
  ): Promise<{ rows: unknown[]; changes: number }> {
    const { rows, changes } = await this.#ask((id): Ask => ({
      id,
      askedAtMs,
      sql,
      parameters,
      begins,
    }));
    return { rows, changes };
  }

  /** At once or after the open transaction. */
  async call(script: string, input: unknown): Promise<Pick<Answer, 'output' | 'ran'>> {
    const askedAtMs = threadsClockMs();
    return this.#ask((id): Call => ({ id, askedAtMs, script, input }));
  }

  async #ask(write: (id: number) => Ask | Call): Promise<Answer> {
    if (this.#fault) throw this.#fault;
    const id = ++this.#lastId;
    const pending = Promise.withResolvers<Answer>();
    this.#waiting.set(id, pending);
    this.#thread.postMessage(write(id));
    const answer = await pending.promise;
    if (answer.error) throw StoreError.fromSqlite(answer.error);
    return answer;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#thread.postMessage('close');
    await this.#exited;
  }

  #settle(answer: Answer): void {
    const pending = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    pending?.resolve(answer);
  }

  #end(cause: Error | null): void {
    if (this.#fault) return;
    const why = cause === null ? '' : ` (${cause.message})`;
    const text = `the thread ${this.#name}, which held the database, has ended${why}; start the service again`;
    this.#fault = new StoreError('STORE_UNAVAILABLE', text, { cause });
    for (const pending of this.#waiting.values()) pending.reject(this.#fault);
    this.#waiting.clear();
    if (!this.#isClosing) this.#onLost(this.#fault);
  }
}

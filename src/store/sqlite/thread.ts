import { Worker } from 'node:worker_threads';
import { StoreError } from '../errors.ts';
import type { Answer, Ask, Call, WorkerSettings } from './protocol.ts';

/** One SQLite connection on a thread of its own. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>();
  readonly #exited: Promise<void>;
  #lastId = 0;
  #fault: Error | null = null;

  constructor(settings: WorkerSettings) {
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: settings,
      name: settings.readOnly ? 'sqlite-reader' : 'sqlite-writer',
    });
    this.#worker.on('message', (answer: Answer) => this.#settle(answer));
    this.#worker.on('error', (error) => this.#fail(error as Error));
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#fail(new StoreError('STORE_UNAVAILABLE', 'the database thread has ended'));
        resolve();
      });
    });
  }

  /** Runs one statement, the first of a transaction where `begins` says so. Rejects with a `StoreError` that carries SQLite's result code as `detail`. */
  async run(
    sql: string,
    parameters: readonly unknown[],
    begins = false,
  ): Promise<{ rows: unknown[]; changes: number }> {
    const { rows, changes } = await this.#ask((id): Ask => ({ id, sql, parameters, begins }));
    return { rows, changes };
  }

  /** Carries out a procedure, at once or after the transaction that is open just now. Rejects like `run`. */
  async call(procedure: string, input: unknown): Promise<Pick<Answer, 'output' | 'ran'>> {
    return this.#ask((id): Call => ({ id, procedure, input }));
  }

  async #ask(write: (id: number) => Ask | Call): Promise<Answer> {
    if (this.#fault) throw this.#fault;
    const id = ++this.#lastId;
    const turn = Promise.withResolvers<Answer>();
    this.#waiting.set(id, turn);
    this.#worker.postMessage(write(id));
    const answer = await turn.promise;
    if (answer.error) throw StoreError.fromSqlite(answer.error);
    return answer;
  }

  async close(): Promise<void> {
    this.#worker.postMessage('close');
    await this.#exited;
  }

  #settle(answer: Answer): void {
    const turn = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    turn?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    for (const turn of this.#waiting.values()) turn.reject(this.#fault);
    this.#waiting.clear();
  }
}

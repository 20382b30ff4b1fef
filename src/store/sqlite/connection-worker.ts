/**
 * One connection on a thread, so commits and searches don't delay the main thread. Statements run in order. Transaction
 * scripts wait for an open transaction, then run together.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { carryOut, faultOf } from './carry-out.ts';
import { Connection } from './connection.ts';
import type { Answer, Ask, Call, WorkerSettings } from './protocol.ts';

/** Throws the errors of `node:sqlite`. */
export function serveConnection(port: MessagePort, settings: WorkerSettings): void {
  const server = new ConnectionServer(port, settings);
  port.on('message', (message: Ask | Call | 'close') => server.take(message));
}

class ConnectionServer {
  readonly #port: MessagePort;
  readonly #connection: Connection;
  readonly #reports: boolean;
  readonly #asks: (Ask | 'close')[] = [];
  #calls: Call[] = [];
  #isWorking = false;

  constructor(port: MessagePort, settings: WorkerSettings) {
    this.#port = port;
    this.#connection = new Connection(settings);
    this.#reports = settings.reports;
  }

  take(message: Ask | Call | 'close'): void {
    this.#sort(message);
    if (!this.#isWorking) void this.#work();
  }

  #sort(message: Ask | Call | 'close'): void {
    if (message !== 'close' && 'script' in message) this.#calls.push(message);
    else this.#asks.push(message);
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (;;) {
      this.#takeWaiting();
      const ask = this.#asks.shift();
      if (ask !== undefined) {
        if (ask === 'close') return this.#close();
        this.#port.postMessage(this.#answer(ask));
      } else if (this.#calls.length > 0 && !this.#connection.isInTransaction) {
        const batch = this.#calls;
        this.#calls = [];
        this.#connection.waitSince(Math.min(...batch.map(({ askedAtMs }) => askedAtMs)));
        const answers = await carryOut(this.#connection, batch, this.#reports);
        for (const each of answers) this.#port.postMessage(each);
      } else break;
    }
    this.#isWorking = false;
  }

  /** Without going back to the event loop for each. */
  #takeWaiting(): void {
    for (;;) {
      const next = receiveMessageOnPort(this.#port);
      if (next === undefined) return;
      this.#sort(next.message as Ask | Call | 'close');
    }
  }

  #answer(ask: Ask): Answer {
    try {
      if (!this.#connection.isInTransaction) this.#connection.waitSince(ask.askedAtMs);
      if (ask.begins) this.#connection.begin();
      return { id: ask.id, ...this.#connection.run(ask.sql, ask.parameters) };
    } catch (error) {
      return faultOf(ask.id, error);
    }
  }

  #close(): void {
    this.#connection.close();
    this.#port.close();
  }
}

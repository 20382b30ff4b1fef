import { once } from 'node:events';
import net from 'node:net';
import {
  Asked,
  changesRows,
  type Message,
  MessageReader,
  tooManyConnections,
} from './postgres-messages.ts';

/**
 * How the proxy treats connections: `carries` everything; `refuses` new connections; is `silent`: it accepts
 * connections and bytes, keeps them, and delivers them when it carries again, as a network that recovers does; is
 * `full`: new connections get the answer of a server without free ones.
 */
export type Way = 'carries' | 'refuses' | 'silent' | 'full';

/** What happens to a transaction that changes rows, when its end is requested. */
type Fate = 'carried' | 'commit-lost' | 'answer-lost';

export interface PostgresProxy extends AsyncDisposable {
  url: string;
  /** From now on, for connections that are open too. */
  switchTo(way: Way): void;
  cut(): void;
  /** Delays every message by so much in each direction. */
  delay(ms: number): void;
  /**
   * Called for each transaction that changes rows. Either loss ends the connection: `commit-lost` before the server
   * was asked to commit, `answer-lost` after it has, so that its client can't know.
   */
  decideFates(fateOf: () => Fate): void;
  /** Answers to statements that carry `text` are kept until `until` settles; resolves once one is being kept. */
  delayAnswersTo(text: string, until: Promise<unknown>): Promise<void>;
}

/** @param databaseUrl  of a server on 127.0.0.1 */
export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const switches = new Switches();
  const open = new Set<Carried>();
  const serverPort = Number(new URL(databaseUrl).port);
  const listener = net.createServer((client) => {
    if (switches.way === 'refuses') return void client.resetAndDestroy();
    if (switches.way === 'full') {
      client.on('error', () => {});
      client.once('data', () => client.end(tooManyConnections()));
      return;
    }
    const carried = new Carried(client, net.connect(serverPort, '127.0.0.1'), switches);
    open.add(carried);
    client.once('close', () => open.delete(carried));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as net.AddressInfo;
  const cut = () => {
    for (const carried of open) carried.cut();
  };
  return {
    url: Object.assign(new URL(databaseUrl), { port: String(port) }).href,
    switchTo: (way) => switches.switchTo(way),
    cut,
    delay: (ms) => {
      switches.delayMs = ms;
    },
    decideFates: (fateOf) => {
      switches.fateOf = fateOf;
    },
    delayAnswersTo: (text, until) => switches.delay(text, until),
    [Symbol.asyncDispose]: async () => {
      switches.switchTo('carries');
      cut();
      listener.close();
      await once(listener, 'close');
    },
  };
}

class Switches {
  way: Way = 'carries';
  delayMs = 0;
  fateOf: () => Fate = () => 'carried';
  /** Pending while the proxy is silent. */
  #sounds: PromiseWithResolvers<void> | null = null;
  #delay: { text: string; seen: () => void; until: Promise<unknown> } | null = null;

  switchTo(way: Way): void {
    this.way = way;
    if (way === 'silent') this.#sounds ??= Promise.withResolvers();
    else {
      this.#sounds?.resolve();
      this.#sounds = null;
    }
  }

  delay(text: string, until: Promise<unknown>): Promise<void> {
    const { promise, resolve: seen } = Promise.withResolvers<void>();
    this.#delay = { text, seen, until };
    void until.finally(() => {
      this.#delay = null;
    });
    return promise;
  }

  /** What the answer to a message has to wait for; null: nothing. */
  findDelay(bytes: Buffer): Promise<unknown> | null {
    if (this.#delay === null || !bytes.includes(this.#delay.text)) return null;
    this.#delay.seen();
    return this.#delay.until;
  }

  /** Waits as long as a message takes on this way. */
  async pass(): Promise<void> {
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    while (this.#sounds !== null) await this.#sounds.promise;
  }
}

class Carried {
  readonly #client: net.Socket;
  readonly #server: net.Socket;
  readonly #switches: Switches;
  readonly #asked = new Asked();
  /** Whether the answer to each statement that is under way is to be lost, in order. */
  readonly #losses: boolean[] = [];
  #answer: Buffer[] = [];
  #isOpening = true;
  #delayed: Promise<unknown> | null = null;

  constructor(client: net.Socket, server: net.Socket, switches: Switches) {
    this.#client = client;
    this.#server = server;
    this.#switches = switches;
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    this.#carry(client, new MessageReader(true), (message) => this.#ask(message));
    this.#carry(server, new MessageReader(false), (message) => this.#passOn(message));
  }

  cut(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  /**
   * Passes messages on one by one, each with the delay, and then the end of the connection. So statements of a client
   * that has given up are still executed after a silence, as with TCP.
   */
  #carry(from: net.Socket, reader: MessageReader, take: (message: Message) => unknown): void {
    let before = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      for (const message of reader.read(chunk)) {
        before = before.then(async () => {
          await this.#switches.pass();
          await take(message);
        });
      }
    });
    from.once('close', () => {
      void before.then(async () => {
        await this.#switches.pass();
        this.#client.destroy();
        this.#server.end();
      });
    });
  }

  #ask(message: Message): void {
    this.#delayed ??= this.#switches.findDelay(message.bytes);
    const ended = this.#asked.take(message);
    if (ended !== null) {
      const fate = changesRows(ended) ? this.#switches.fateOf() : 'carried';
      if (fate === 'commit-lost') return this.cut();
      this.#losses.push(fate === 'answer-lost');
    }
    this.#server.write(message.bytes);
  }

  /** Passes an answer on when it is complete, so an answer is lost as a whole or not at all. */
  async #passOn({ type, bytes }: Message): Promise<void> {
    this.#answer.push(bytes);
    const isWhole = type === 'Z' || this.#losses.length === 0 || this.#isOpening;
    if (!isWhole) return;
    if (type === 'Z') {
      if (!this.#isOpening && this.#losses.shift() === true) return this.cut();
      this.#isOpening = false;
      await this.#delayed;
      this.#delayed = null;
    }
    this.#client.write(Buffer.concat(this.#answer));
    this.#answer = [];
  }
}

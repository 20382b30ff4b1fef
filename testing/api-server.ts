import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { type ApiDeps, createApi } from '#api/api';
import { MemoryRateLimiter } from '#api/rate-limiter';
import { httpServerOptions } from '#api/server-limits';
import { silentLog } from '#domain/base/log';
import type { CronInput } from '#work/resources/cron';
import type { JobInput } from '#work/resources/job';
import { FakeClock } from '#demo/fake-clock';
import { type Answer, postJson } from './client.ts';

/** The API on a loopback socket, without a store; only tests move the clock. */
export class ApiServer implements AsyncDisposable {
  readonly clock = new FakeClock('2026-11-20T09:00:00.700Z');
  /** What the API was asked to create. */
  readonly created: (CronInput | JobInput)[] = [];
  readonly logged: { event: string; fields: object | undefined }[] = [];
  /** The error with which creating rejects, if set. */
  fault: Error | null = null;
  #server;

  constructor(server: ServerOptions) {
    const app = new Hono().route('/api', createApi(this.#makeDeps()) as unknown as Hono);
    const answer = getRequestListener(app.fetch);
    this.#server = createServer(
      { ...httpServerOptions, ...server },
      (req, res) => void answer(req, res),
    );
  }

  static async start(server: ServerOptions = {}) {
    const api = new ApiServer(server);
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    return api;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#server.getConnections((_error, count) => resolve(count));
    return promise;
  }

  #makeDeps(): ApiDeps {
    const record = (event: string, fields?: object) => void this.logged.push({ event, fields });
    const create = (input: CronInput | JobInput) => {
      if (this.fault) throw this.fault;
      this.created.push(input);
    };
    return {
      findTokenOwner: async () => ({ actor: 'user', teamId: 'team', isViewer: false }),
      createCron: async (_teamId, input) => {
        create(input);
        return { id: 'cron', nextRunAt: this.clock.now() };
      },
      createJob: async (_teamId, input) => {
        create(input);
        return { queueId: 'queue', jobId: 'job', scheduledAt: this.clock.now() };
      },
      rateLimiter: new MemoryRateLimiter(60),
      clock: this.clock,
      log: { ...silentLog, warn: record, error: record },
      baseUrl: 'https://belfry.example',
      trustedProxies: 0,
    };
  }

  /** A well-formed call: JSON in, JSON asked for, a good token. */
  post(path: string, body: unknown, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return postJson(`http://127.0.0.1:${this.port}${path}`, 'any', body, { headers });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

export const aCron = {
  name: 'Nightly',
  url: 'https://example.com/hook',
  cron_expression: '*/5 * * * *',
};
/** 61 entries for the minutes and 64 for the hours. */
export const EXPRESSION_OF_255 = `${'1,'.repeat(60)}1 ${'2,'.repeat(63)}2 * * *`;
export const aJob = { queue: 'emails', url: 'https://example.com/hook' };

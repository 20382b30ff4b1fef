import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { type ApiDeps, createApi } from '#api/api';
import type { TokenOwner } from '#api/endpoints';
import { MemoryRateLimiter } from '#api/rate-limiter';
import { httpServerOptions } from '#api/server-limits';
import { createServicePages } from '#api/service-pages';
import { silentLog } from '#domain/base/log';
import type { CronInput } from '#work/resources/cron';
import type { JobInput } from '#work/resources/job';
import { FakeClock } from '#demo/fake-clock';
import { type Answer, type Call, callHttp, postJson } from './client.ts';

/** The things that the API was asked to create, in order. */
export type Created =
  | { kind: 'cron'; teamId: string; input: CronInput }
  | { kind: 'job'; teamId: string; input: JobInput };

/** The API on a loopback socket with everything behind it in memory; only tests move the clock. */
export class ApiServer implements AsyncDisposable {
  readonly clock = new FakeClock('2026-11-20T09:00:00.700Z');
  readonly created: Created[] = [];
  readonly owners = new Map<string, TokenOwner>([
    ['good', { actor: 'user 1', teamId: 'team-1', isViewer: false }],
    ['teamless', { actor: 'user 2', teamId: null, isViewer: false }],
  ]);
  readonly logged: { event: string; fields: object | undefined }[] = [];
  isReady: () => Promise<boolean> = () => Promise.resolve(true);
  /** The error with which creating rejects, if set. */
  fault: Error | null = null;
  #server;

  constructor(changes: Partial<ApiDeps>, server: ServerOptions) {
    const app = new Hono();
    const deps = { ...this.#makeDeps(), ...changes };
    app.route(
      '/',
      createServicePages({
        isReady: () => this.isReady(),
        baseUrl: deps.baseUrl,
        installation: 'test',
      }),
    );
    app.route('/api', createApi(deps));
    const answer = getRequestListener(app.fetch);
    this.#server = createServer(
      { ...httpServerOptions, ...server },
      (req, res) => void answer(req, res),
    );
  }

  static async start(changes: Partial<ApiDeps> = {}, server: ServerOptions = {}) {
    const api = new ApiServer(changes, server);
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
    return {
      findTokenOwner: async (token) => this.owners.get(token) ?? null,
      createCron: async (teamId, input) => {
        if (this.fault) throw this.fault;
        this.created.push({ kind: 'cron', teamId, input });
        return { id: 'cron-1', nextRunAt: input.isActive ? this.clock.now() + 300_000 : null };
      },
      createJob: async (teamId, input) => {
        if (this.fault) throw this.fault;
        this.created.push({ kind: 'job', teamId, input });
        const scheduledAt = this.clock.now() + input.delaySeconds * 1000;
        return { queueId: 'queue-1', jobId: 'job-1', scheduledAt };
      },
      rateLimiter: new MemoryRateLimiter(60),
      clock: this.clock,
      log: { ...silentLog, warn: record, error: record },
      baseUrl: 'https://belfry.example',
      trustedProxies: 0,
    };
  }

  get #url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  send({ path = '/api/jobs', ...call }: Call & { path?: string }): Promise<Answer> {
    return callHttp(this.#url + path, call);
  }

  /** A well-formed call: JSON in, JSON asked for, a good token. */
  post(path: string, body: unknown, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return postJson(this.#url + path, 'good', body, { headers });
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

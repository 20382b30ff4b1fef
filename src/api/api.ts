import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Clock } from '#domain/base/clock';
import type { Log } from '#domain/base/log';
import { isTeamFull, type TeamFull } from '#domain/team/team-bounds';
import type { FieldError } from '#work/fields';
import { readWhole } from '#work/resources/resource';
import { type AnswerHeaders, answerInvalid, answerJson, answerRedirect } from './answers.ts';
import { answerText, describeRate } from './answers.ts';
import { readBody, readBodyFields } from './body.ts';
import { readClientAddress } from './client-address.ts';
import { type ApiServices, cronEndpoint, type Endpoint, jobEndpoint } from './endpoints.ts';
import type { RateLimiter } from './rate-limiter.ts';

const LOG_EVERY_MS = 10_000;
const RETRY_AFTER_SECONDS = '5';
const FULL_RETRY_AFTER_SECONDS = '60';

export interface ApiDeps extends ApiServices {
  /** Null if the limit is off: then there are no rate headers. */
  rateLimiter: RateLimiter | null;
  clock: Clock;
  log: Log;
  /** Without a slash at its end. */
  baseUrl: string;
  trustedProxies: number;
}

/**
 * The API (§4), mounted under `/api`. Bodies are read from Node's request: several times faster than the Fetch API's,
 * and limited in size and time.
 */
export function createApi(given: ApiDeps): Hono<{ Bindings: HttpBindings }> {
  const deps = { ...given, logUnavailable: createUnavailableLog(given.clock, given.log) };
  const api = new Hono<{ Bindings: HttpBindings }>();
  const serve = <Input extends object>(path: string, endpoint: Endpoint<Input>) =>
    api.all(path, (c) => {
      const { incoming } = c.env;
      if (incoming.method === 'POST') return answerCall(endpoint, incoming, deps);
      return answerText('methodNotAllowed', { Allow: 'POST' });
    });
  serve('/crons', cronEndpoint);
  serve('/jobs', jobEndpoint);
  api.all('*', () => answerText('notFound', {}));
  return api;
}

const BEARER = /^bearer +(.+)$/i;

type Deps = ApiDeps & { logUnavailable: (error: Error) => void };

async function answerCall<Input extends object>(
  endpoint: Endpoint<Input>,
  incoming: IncomingMessage,
  deps: Deps,
): Promise<Response> {
  let rate: AnswerHeaders = {};
  try {
    const nowMs = deps.clock.now();
    const address = readClientAddress(incoming, deps.trustedProxies);
    const hit = (await deps.rateLimiter?.hit(address, nowMs)) ?? null;
    rate = describeRate(hit, nowMs);
    if (hit?.allowed === false) return answerText('tooMany', rate);
    return await acceptCall(endpoint, incoming, deps, rate);
  } catch (error) {
    return answerFault(error, incoming, deps, rate);
  }
}

/** Checks body, validation, token and team in this order (§4.1, §5.4). */
async function acceptCall<Input extends object>(
  endpoint: Endpoint<Input>,
  incoming: IncomingMessage,
  deps: ApiDeps,
  rate: AnswerHeaders,
): Promise<Response> {
  const body = await readBody(incoming, deps.clock);
  if (body === 'too-large') return answerText('tooLarge', rate);
  // An interrupted call is answered too.
  if (typeof body === 'string') return answerText('timedOut', { ...rate, Connection: 'close' });

  const { headers } = incoming;
  const { resource, names } = endpoint;
  const reading = readWhole(resource, readBodyFields(headers['content-type'], body, names));
  if (!reading.ok) return refuseFields(reading.errors, incoming, deps, rate);

  const token = BEARER.exec(headers.authorization ?? '')?.[1]?.trim() ?? '';
  if (token === '') return answerText('tokenMissing', rate);
  const owner = await deps.findTokenOwner(token);
  if (owner === null) return answerText('tokenInvalid', rate);
  if (owner.teamId === null) return answerText('serverError', rate);
  if (owner.isViewer) return answerText('viewOnly', rate);
  const { teamId, actor } = owner;
  return answerJson(201, await endpoint.create(deps, reading.input, { teamId, actor }), rate);
}

function refuseFields(
  errors: readonly FieldError[],
  { headers }: IncomingMessage,
  { baseUrl }: ApiDeps,
  rate: AnswerHeaders,
): Response {
  const isJson = acceptsJson(headers.accept, headers['x-requested-with']?.toString());
  if (isJson) return answerInvalid(errors, rate);
  return answerRedirect(`${baseUrl}/`, rate);
}

/** Crons and queues stay until they are deleted; payloads leave as jobs are sent (§8.3). */
function answerFull(
  full: TeamFull,
  incoming: IncomingMessage,
  deps: ApiDeps,
  rate: AnswerHeaders,
): Response {
  if (full.bound !== 'waitingPayloadBytes') {
    return refuseFields([full.fieldError], incoming, deps, rate);
  }
  const headers = { ...rate, 'Retry-After': FULL_RETRY_AFTER_SECONDS };
  return answerJson(503, { message: full.message }, headers);
}

function answerFault(
  error: unknown,
  incoming: IncomingMessage,
  deps: Deps,
  rate: AnswerHeaders,
): Response {
  if (isTeamFull(error)) return answerFull(error, incoming, deps, rate);
  if (hasCode(error, 'STORE_UNAVAILABLE')) {
    deps.logUnavailable(error);
    return answerText('unavailable', { ...rate, 'Retry-After': RETRY_AFTER_SECONDS });
  }
  const [path] = (incoming.url ?? '').split('?', 1);
  deps.log.error('api.failed', { path, error });
  return answerText('serverError', rate);
}

function hasCode(error: unknown, code: string): error is Error {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * Whether a failed validation is answered in JSON (§4.6): any JSON type is accepted, or every type and
 * `X-Requested-With` marks a script.
 */
function acceptsJson(accept: string | undefined, requestedWith: string | undefined): boolean {
  const types = readAcceptedTypes(accept ?? '');
  if (types.some((type) => type.includes('/json') || type.endsWith('+json'))) return true;
  return types.includes('*/*') && requestedWith?.toLowerCase() === 'xmlhttprequest';
}

/** In lower case, without q=0. */
function readAcceptedTypes(accept: string): string[] {
  return accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter(
      ([, ...parameters]) => !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)),
    )
    .map(([type = '']) => type);
}

/**
 * Logs refused calls: the first at once, then a count every ten seconds. A line for each would fill a disk that is
 * full already.
 */
function createUnavailableLog(clock: Clock, log: Log): (error: Error) => void {
  let refused = 0;
  let isWaiting = false;
  const report = (error: string) => {
    log.warn('api.unavailable', { refused, error });
    refused = 0;
    isWaiting = true;
    clock.after(LOG_EVERY_MS, () => {
      isWaiting = false;
      if (refused > 0) report(error);
    });
  };
  return ({ message }) => {
    refused++;
    if (!isWaiting) report(message);
  };
}

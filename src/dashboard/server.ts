import { randomBytes, randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { Log } from '#domain/base/log';
import { basePathOf, ownPathOf } from '#domain/http/public-address';
import type { DashboardBuild } from './build.ts';
import type { RequestFacts } from './context.ts';
import {
  comesFromOurPages,
  isSafeMethod,
  originsOfOurPages,
  readBoundedBody,
} from './serving/form-guards.ts';
import { explainStatus } from './page/status-words.ts';
import { moveBuild } from './serving/move-build.ts';
import { answerOneClick } from './serving/one-click.ts';
import { buildPlainPage, type PlainPage } from './serving/plain-page.ts';
import { setCommonHeaders, setPageHeaders } from './serving/security-headers.ts';
import type { Arrival, Services } from './services.ts';
import { answerStaticFile, prepareStaticFiles } from './serving/static-files.ts';

export type DashboardOptions = {
  services: Services;
  baseUrl: string;
  echoUrl: string | null;
  log: Log;
  build: DashboardBuild;
  /** For counting (§8.1). `env` is the HTTP server's value for Hono. */
  readClientAddress: (request: Request, env: unknown) => string;
  readArrival: (env: unknown) => Arrival;
  now?: () => number;
};

/** `Request` doesn't allow some others. */
const methods: readonly string[] = ['GET', 'HEAD', 'POST'];
const formWithinMs = 20_000;
const pageLimitMs = 30_000;
const retryAfterSeconds = '5';

type PageWords = Omit<PlainPage, 'requestId' | 'basePath'>;

/**
 * Mounted last. The public address alone decides links, cookies and which origins may send forms: `Host` and
 * `X-Forwarded-*` are ignored.
 */
export async function createDashboard(options: DashboardOptions): Promise<Hono> {
  const { baseUrl, services } = options;
  const build = moveBuild(options.build, basePathOf(baseUrl));
  const bundle = await build.loadServer();
  const files = await prepareStaticFiles(await build.readFiles());
  const { createLoadContext, createRequestHandler, isPage } = bundle.entry.module;
  const handle = createRequestHandler(bundle, 'production');
  const isHttps = baseUrl.startsWith('https:');
  const signOutUrl = services.people.accounts.proxySignOutUrl();
  const signOutOrigin = URL.parse(signOutUrl ?? '')?.origin ?? null;
  const app = new Hono();

  app.all('*', async (c) => {
    const { pathname, search } = new URL(c.req.url);
    const file = files.get(pathname);
    if (file && isSafeMethod(c.req.method)) {
      const answer = answerStaticFile(file, c.req.raw);
      setCommonHeaders(answer.headers, isHttps);
      return answer;
    }
    const facts = readRequestFacts(c.req.raw, c.env, options);
    const answer = await answerPage(
      c.req.raw,
      `${baseUrl}${pathname}${search}`,
      { facts, services },
      {
        handle: (request) => handle(request, createLoadContext(services, facts)),
        isPage: (path) => isPage(bundle, path),
      },
    );
    const sent = new Response(answer.body, answer);
    for (const [name, value] of facts.answerHeaders) sent.headers.set(name, value);
    setPageHeaders(sent.headers, { nonce: facts.nonce, isHttps, signOutOrigin });
    if (sent.status === 503 && !sent.headers.has('Retry-After')) {
      sent.headers.set('Retry-After', retryAfterSeconds);
    }
    return sent;
  });
  return app;
}

function readRequestFacts(request: Request, env: unknown, options: DashboardOptions): RequestFacts {
  const arrival = options.readArrival(env);
  return {
    requestId: randomUUID(),
    headers: new Headers(request.headers),
    nonce: randomBytes(16).toString('base64'),
    readBody: (maxBytes) => readBoundedBody(request, { maxBytes, maxMs: formWithinMs }),
    clientAddress: options.readClientAddress(request, env),
    arrival,
    proxyClaim: options.services.people.accounts.whoByProxy(arrival),
    baseUrl: options.baseUrl,
    echoUrl: options.echoUrl,
    now: (options.now ?? Date.now)(),
    logError: (event, fields) => options.log.error(event, fields),
    answerHeaders: new Headers(),
  };
}

interface Pages {
  handle: (request: Request) => Promise<Response>;
  isPage: (path: string) => boolean;
}

/** Without its body: page-access.ts reads the form with the page's limit. */
async function answerPage(
  request: Request,
  publicUrl: string,
  { facts, services }: { facts: RequestFacts; services: Services },
  { handle, isPage }: Pages,
): Promise<Response> {
  const { requestId } = facts;
  const wantsData = new URL(publicUrl).pathname.endsWith('.data');
  const basePath = basePathOf(facts.baseUrl);
  const refuse = (page: PageWords) => buildPlainPage({ ...page, requestId, basePath }, wantsData);
  if (!isDecodable(publicUrl)) return refuse(wordsFor(404));
  if (!methods.includes(request.method)) {
    const refusal = refuse(wordsFor(405));
    refusal.headers.set('Allow', methods.join(', '));
    return refusal;
  }
  const { headers } = facts;
  const init: RequestInit = { method: request.method, headers, signal: request.signal };
  const mayChange = !isSafeMethod(request.method);
  if (mayChange && !comesFromOurPages(headers, originsOfOurPages(facts.baseUrl))) {
    const path = ownPathOf(new URL(publicUrl), facts.baseUrl);
    const words = isPage(path) ? foreignOrigin(facts.baseUrl) : wordsFor(404);
    return (await answerOneClick(path, facts, services)) ?? refuse(words);
  }
  // The router compares the origin again, with one address only.
  if (mayChange && headers.has('Origin')) headers.set('Origin', new URL(facts.baseUrl).origin);
  try {
    const answer = await withinTime(
      handle(new Request(publicUrl, init)),
      pageLimitMs + (mayChange ? formWithinMs : 0),
    );
    if (answer === 'late') return refuse(tooBusy);
    return isForPeople(answer, wantsData) ? answer : refuse(wordsFor(answer.status));
  } catch (error) {
    facts.logError('dashboard.failed', { requestId, error });
    return refuse(wordsFor(500));
  }
}

/** The router answers some faults with plain text or JSON; a page replaces these. */
function isForPeople(answer: Response, wantsData: boolean): boolean {
  if (answer.status < 400) return true;
  const type = answer.headers.get('Content-Type') ?? '';
  return type.startsWith('text/html') || (wantsData && type.startsWith('text/x-script'));
}

/** An invalid percent escape is no page; the router would only log a warning. */
function isDecodable(url: string): boolean {
  try {
    decodeURI(new URL(url).pathname);
    return true;
  } catch {
    return false;
  }
}

async function withinTime<T>(work: Promise<T>, limitMs: number): Promise<T | 'late'> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const foreignOrigin = (baseUrl: string) => ({
  status: 403,
  title: 'This form came from another address',
  text: `Belfry answers forms only from its own pages at ${baseUrl}. Open it there and send the form again. If that is not its address, its operator sets it as BASE_URL.`,
});
const tooBusy = {
  status: 503,
  title: 'Belfry is too busy to answer',
  text: 'The page took longer than 30 seconds. Try again in a moment.',
};

function wordsFor(status: number): PageWords {
  if (status < 500) {
    const { title, text } = explainStatus(status);
    return { status, title, text };
  }
  return {
    status,
    title: explainStatus(500).title,
    text: 'The page could not be made. The cause is in the log of the service under the number below. Try again in a moment.',
  };
}

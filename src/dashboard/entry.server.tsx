/** Exports everything that `server.ts` needs, since the context's keys exist only inside the bundle. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { renderToPipeableStream } from 'react-dom/server';
import {
  createRequestHandler as createRouterHandler,
  isRouteErrorResponse,
  matchPath,
  RouterContextProvider,
  ServerRouter,
  type EntryContext,
  type HandleErrorFunction,
  type ServerBuild,
} from 'react-router';
import { requestFacts, services, type RequestFacts } from './context.ts';
import { numberFaults } from './serving/numbered-faults.ts';
import type { Services } from './services.ts';

export function createRequestHandler(build: ServerBuild, mode: string) {
  return createRouterHandler(numberFaults(build), mode);
}

/** @param path without the base path; of a page or its data */
export function isPage({ routes }: ServerBuild, path: string): boolean {
  const ofPage = path.replace(/(?:\/_)?\.data$/, '') || '/';
  const fullPathOf = (id: string | undefined): string => {
    const route = id === undefined ? undefined : routes[id];
    return route ? `${fullPathOf(route.parentId)}/${route.path ?? ''}` : '';
  };
  return Object.values(routes).some(
    (route) => route && route.path !== '*' && matchPath(fullPathOf(route.id), ofPage) !== null,
  );
}

const renderingLimitMs = 10_000;
export const streamTimeout = renderingLimitMs - 1_000;

export function createLoadContext(given: Services, facts: RequestFacts): RouterContextProvider {
  const context = new RouterContextProvider();
  context.set(services, given);
  context.set(requestFacts, facts);
  return context;
}

/** Outside of loaders and actions. The address may contain a secret and isn't logged. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted) return;
  // Anybody can send a request that no route accepts, so it isn't logged.
  if (isRouteErrorResponse(error) && error.status < 500) return;
  const facts = context.get(requestFacts);
  facts.logError('dashboard.failed', {
    requestId: facts.requestId,
    error,
  });
};

/** Renders the whole page first: the status can still change, and no script has to put pieces in place. */
export default async function renderPage(
  request: Request,
  status: number,
  headers: Headers,
  routerContext: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  const { nonce } = context.get(requestFacts);
  headers.set('Content-Type', 'text/html; charset=utf-8');
  const ready = Promise.withResolvers<void>();
  const { pipe, abort } = renderToPipeableStream(
    <ServerRouter context={routerContext} url={request.url} nonce={nonce} />,
    {
      nonce,
      onAllReady: ready.resolve,
      onShellError: ready.reject,
      onError: (error) => handleError(error, { request, context, params: {} }),
    },
  );
  const timer = setTimeout(() => abort(new Error('Rendering took too long')), renderingLimitMs);
  try {
    await ready.promise;
    return new Response(await buffer(pipe(new PassThrough())), { status, headers });
  } finally {
    clearTimeout(timer);
  }
}

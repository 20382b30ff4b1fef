/**
 * The server's half of React Router: from a matched page to HTML. Everything that `server.ts` needs of
 * the bundle is exported here, since the keys of the context exist only inside it.
 */
import { Writable } from 'node:stream';
import { renderToPipeableStream } from 'react-dom/server';
import {
  createRequestHandler as createRouterHandler,
  isRouteErrorResponse,
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

const renderingLimitMs = 10_000;
export const streamTimeout = renderingLimitMs - 1_000;

/** Creates the context from which loaders and actions of one request read everything. */
export function createLoadContext(given: Services, facts: RequestFacts): RouterContextProvider {
  const context = new RouterContextProvider();
  context.set(services, given);
  context.set(requestFacts, facts);
  return context;
}

/** Logs faults outside of loaders and actions. The address is not logged, because it may contain a secret. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted) return;
  // The router's error for a request that no route accepts. Anybody can send such a request, so it is not logged.
  if (isRouteErrorResponse(error) && error.status < 500) return;
  const facts = context.get(requestFacts);
  facts.logError('dashboard.failed', {
    requestId: facts.requestId,
    error,
  });
};

/**
 * Renders the whole page before the first byte leaves: pages hold nothing slow (their loaders have
 * finished), a status can still change if rendering fails, and no script is needed to put pieces in place.
 */
export default function renderPage(
  request: Request,
  status: number,
  headers: Headers,
  routerContext: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  const { nonce } = context.get(requestFacts);
  headers.set('Content-Type', 'text/html; charset=utf-8');
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => abort(new Error('Rendering took too long')), renderingLimitMs);
    const chunks: Buffer[] = [];
    const html = new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk);
        done();
      },
      final(done) {
        clearTimeout(timer);
        resolve(new Response(Buffer.concat(chunks), { status, headers }));
        done();
      },
    });
    const { pipe, abort } = renderToPipeableStream(
      <ServerRouter context={routerContext} url={request.url} nonce={nonce} />,
      {
        nonce,
        onAllReady: () => pipe(html),
        onShellError: (error) => {
          clearTimeout(timer);
          reject(error);
        },
        onError: (error) => handleError(error, { request, context, params: {} }),
      },
    );
  });
}

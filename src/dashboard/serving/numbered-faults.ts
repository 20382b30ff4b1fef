/** Logs a page's fault under the request's number. The page shows this number and nothing else. */
import { data, type MiddlewareFunction, type ServerBuild } from 'react-router';
import { requestFacts, type Context } from '../context.ts';
import type { FaultData } from '../page/fault-words.ts';

/** Faults that have a page of their own, by their `code`. */
const PAGES: Readonly<Record<string, { status: number; data: FaultData | null }>> = {
  /** The role changed a moment ago. */
  NOT_ALLOWED: { status: 403, data: null },
  STORE_UNAVAILABLE: { status: 503, data: null },
  STORE_BUSY: { status: 503, data: { isBusy: true } },
};

/** Leaves out a part that a page can do without, if too much is being read at once. */
export function nullIfBusy(error: { code?: unknown }): null {
  if (error.code === 'STORE_BUSY') return null;
  throw error;
}

type Given = { context: Context; pattern: string };
type Run = (given: never) => unknown;

/**
 * Wraps all loaders and actions of a build's routes separately: when the router shows its error page, the cause is
 * lost, and in data for scripts the number would be that of an older request.
 */
export function numberFaults(build: ServerBuild): ServerBuild {
  const routes: ServerBuild['routes'] = {};
  for (const [id, route] of Object.entries(build.routes)) {
    if (!route) continue;
    const { loader, action } = route.module;
    const module = { ...route.module };
    if (loader) module.loader = guard(loader);
    if (action) module.action = guard(action);
    routes[id] = { ...route, module };
  }
  return { ...build, routes };
}

/** Wraps one loader, action or middleware. */
export function guard<Guarded extends Run | MiddlewareFunction<Response>>(run: Guarded): Guarded {
  const guarded = async (given: Given, ...rest: unknown[]) => {
    try {
      return await (run as (...all: unknown[]) => unknown)(given, ...rest);
    } catch (thrown) {
      throw asAnswer(thrown, given);
    }
  };
  return guarded as unknown as Guarded;
}

/**
 * Turns an error into the response for the page. The log gets the route's pattern and never the address, which may
 * contain a secret.
 */
function asAnswer(thrown: unknown, { context, pattern }: Given): unknown {
  if (thrown instanceof Response || !(thrown instanceof Error)) return thrown;
  const page = 'code' in thrown ? PAGES[String(thrown.code)] : undefined;
  if (page) return data(page.data, { status: page.status });
  const { requestId, logError } = context.get(requestFacts);
  logError('dashboard.failed', { requestId, page: pattern, error: thrown });
  return data<FaultData>({ requestId }, { status: 500 });
}

/** Logs a page's fault under the request's number. The page shows this number and nothing else. */
import { data, type MiddlewareFunction, type ServerBuild } from 'react-router';
import { requestFacts, type Context } from '../context.ts';
import type { NumberedFault } from '../page/fault-words.ts';

type Given = { context: Context; pattern: string };
type Run = (given: never) => unknown;

/**
 * Wraps all loaders and actions of a build's routes. It wraps each one separately: when the router shows its error
 * page, it has reported the cause to nobody, and in data for scripts the number would be that of an older request.
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
  const { requestId, logError } = context.get(requestFacts);
  logError('dashboard.failed', { requestId, page: pattern, error: thrown });
  return data<NumberedFault>({ requestId }, { status: 500 });
}

/** A fault of a page goes to the log under the request's number, and the page gets the number and nothing else. */
import { data, type MiddlewareFunction, type ServerBuild } from 'react-router';
import { requestFacts, type Context } from '../context.ts';
import type { NumberedFault } from '../page/fault-words.ts';

type Given = { context: Context; pattern: string };
type Run = (given: never) => unknown;

/**
 * The routes of a build, their loaders and actions guarded. Each by itself: the router has told nobody the cause
 * by the time that it shows another page, and in data for scripts the number would be an older request's.
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

/** The same for a middleware. */
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

/** The pattern of the route is logged and never the address, which may hold a secret. */
function asAnswer(thrown: unknown, { context, pattern }: Given): unknown {
  if (thrown instanceof Response || !(thrown instanceof Error)) return thrown;
  const { requestId, logError } = context.get(requestFacts);
  logError('dashboard.failed', { requestId, page: pattern, error: thrown });
  return data<NumberedFault>({ requestId }, { status: 500 });
}

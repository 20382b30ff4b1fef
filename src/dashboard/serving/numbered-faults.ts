/** The page shows only the number; the log has the cause. */
import { data, type MiddlewareFunction, type ServerBuild } from 'react-router';
import { requestFacts, type Context } from '../context.ts';
import type { FaultData } from '../page/fault-words.ts';

/** The error page of each error code of the store or the modules. */
const PAGES: Readonly<Record<string, { status: number; data: FaultData | null }>> = {
  /** The role has just changed. */
  NOT_ALLOWED: { status: 403, data: null },
  STORE_UNAVAILABLE: { status: 503, data: null },
  STORE_BUSY: { status: 503, data: { isBusy: true } },
};

/** A part that a page can do without. */
export function nullIfBusy(error: { code?: unknown }): null {
  if (error.code === 'STORE_BUSY') return null;
  throw error;
}

type Given = { context: Context; pattern: string };
type Run = (given: never) => unknown;

/** The router's error page loses the cause. */
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

/** The log gets the route's pattern: the address may contain a secret. */
function asAnswer(thrown: unknown, { context, pattern }: Given): unknown {
  if (thrown instanceof Response || !(thrown instanceof Error)) return thrown;
  const page = 'code' in thrown ? PAGES[String(thrown.code)] : undefined;
  if (page) return data(page.data, { status: page.status });
  const { requestId, logError } = context.get(requestFacts);
  logError('dashboard.failed', { requestId, page: pattern, error: thrown });
  return data<FaultData>({ requestId }, { status: 500 });
}

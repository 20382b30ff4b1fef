import { data } from 'react-router';
import type { Services } from './services.ts';

/** Faults that have a page of their own, by their `code`: a role that changed a moment ago, a database that is away. */
const PAGES: Readonly<Record<string, number>> = { NOT_ALLOWED: 403, STORE_UNAVAILABLE: 503 };

/** The services as pages see them: some faults of the rooms behind become pages. Everything else passes as it is. */
export function showRefusalsAsPages(services: Services): Services {
  return wrap(services);
}

function wrap<T extends object>(room: T): T {
  return new Proxy(room, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === 'object' && value !== null) return wrap(value);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => translate(value.apply(target, given));
    },
  });
}

function translate(result: unknown): unknown {
  if (!(result instanceof Promise)) return result;
  return result.catch((error: unknown) => {
    const status = error instanceof Error && 'code' in error && PAGES[String(error.code)];
    throw status ? data(null, { status }) : error;
  });
}

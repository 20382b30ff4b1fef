import { data } from 'react-router';
import type { Services } from '../services.ts';

/** The data of a 503 page if the database works but is overloaded. */
export const BUSY = { isBusy: true } as const;

/**
 * Faults that have a page of their own, by their `code`: a role that changed a moment ago, a database that is
 * away, too many searches at once.
 */
const PAGES: Readonly<Record<string, { status: number; told: typeof BUSY | null }>> = {
  NOT_ALLOWED: { status: 403, told: null },
  STORE_UNAVAILABLE: { status: 503, told: null },
  STORE_BUSY: { status: 503, told: BUSY },
};

/** Wraps the services for pages: some faults of the rooms become pages. All others are passed on unchanged. */
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

/** A room that a call gives, such as the work of somebody, is shown the same way. */
function translate(result: unknown): unknown {
  if (!(result instanceof Promise)) return isRoom(result) ? wrap(result) : result;
  return result.catch((error: unknown) => {
    const page = error instanceof Error && 'code' in error && PAGES[String(error.code)];
    throw page ? data(page.told, { status: page.status }) : error;
  });
}

function isRoom(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((each) => typeof each === 'function')
  );
}

/**
 * Returns null for a part that a page can do without, if it could not be read because too much is being read at once.
 */
export function nullIfBusy(thrown: { data?: unknown }): null {
  if (thrown.data === BUSY) return null;
  throw thrown;
}

import { data } from 'react-router';
import type { Services } from './services.ts';

/**
 * The services as pages see them: a call that the rooms behind refuse because the person's role changed a
 * moment ago (`code` NOT_ALLOWED) becomes the 403 page instead of a fault. Everything else passes as it is.
 */
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
    if (error instanceof Error && 'code' in error && error.code === 'NOT_ALLOWED')
      throw data(null, { status: 403 });
    throw error;
  });
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreError } from './errors.ts';

const inside = new AsyncLocalStorage<'transaction' | 'read'>();

export function runInside<T>(what: 'transaction' | 'read', work: () => Promise<T>): Promise<T> {
  return inside.run(what, work);
}

export function refuseNesting(): void {
  if (inside.getStore() !== undefined) throw nestingFault();
}

/** Every driver calls this, so no handle can bypass the transaction. */
export function refuseSecondConnection(): void {
  if (inside.getStore() === 'transaction') throw nestingFault();
}

function nestingFault(): StoreError {
  return new StoreError(
    'STORE_FAULT',
    'the outer database handle was used inside a transaction or read; use the handle that was passed in',
  );
}

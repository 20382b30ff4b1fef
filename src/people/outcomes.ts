/** Expected outcomes are values with a `kind` and are never thrown. */

/** Field name → sentences for the user. */
export type FieldErrors = Record<string, readonly string[]>;

export type Done = { kind: 'done' };
export type NotFound = { kind: 'not-found' };
export type Refused = { kind: 'refused'; errors: FieldErrors };
/** `isBusy`: the service is overloaded; the caller hasn't tried too often. */
export type TooMany = { kind: 'too-many'; retryAfterSeconds: number; isBusy?: true };

export const DONE: Done = { kind: 'done' };
export const NOT_FOUND: NotFound = { kind: 'not-found' };

export function refuse(field: string, message: string): Refused {
  return { kind: 'refused', errors: { [field]: [message] } };
}

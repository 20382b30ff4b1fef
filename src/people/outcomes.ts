/** What calls of this room come to. Expected outcomes are values with a `kind`, never thrown. */

/** Field name → what is wrong with it, in sentences for the person who typed it. */
export type FieldErrors = Record<string, string[]>;

export type Done = { kind: 'done' };
export type NotFound = { kind: 'not-found' };
export type Refused = { kind: 'refused'; errors: FieldErrors };
/** `isBusy`: not the asker but the service had too much to do. */
export type TooMany = { kind: 'too-many'; retryAfterSeconds: number; isBusy?: true };

export const DONE: Done = { kind: 'done' };
export const NOT_FOUND: NotFound = { kind: 'not-found' };

export function refuse(field: string, message: string): Refused {
  return { kind: 'refused', errors: { [field]: [message] } };
}

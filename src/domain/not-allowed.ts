/**
 * Somebody was about to do what their role does not allow (§5.8). Pages ask `may` before they offer something, so
 * this is a role that changed a moment ago, or a defect of the caller: answer it with 403.
 */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
  readonly code = 'NOT_ALLOWED';
}

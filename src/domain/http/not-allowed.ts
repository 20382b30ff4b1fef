/**
 * The role doesn't allow the action (§5.8). Pages check `may` first, so the role has just changed or the caller has a
 * bug. Answered with 403.
 */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
  readonly code = 'NOT_ALLOWED';
}

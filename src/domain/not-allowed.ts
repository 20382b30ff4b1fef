/**
 * Thrown for an action that the role does not allow (§5.8). Pages call `may` before they offer an action, so either the
 * role was changed a moment ago or the caller has a defect. Answer it with 403.
 */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
  readonly code = 'NOT_ALLOWED';
}

/**
 * Thrown if somebody tries what their role does not allow (§5.8). Pages ask `may` before they offer an action, so
 * either the role was changed a moment ago or the caller has a defect. Answer it with 403.
 */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
  readonly code = 'NOT_ALLOWED';
}

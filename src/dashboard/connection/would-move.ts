/**
 * True where showing `after` in place of `before` would move what is on the page: a list has other
 * members or another order, or a part came or went. A number, a word or a time that changes stays in
 * its place.
 */
export function wouldMove(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) return hasOtherMembers(before, after);
  if (!isTree(before) || !isTree(after)) return isPart(before) !== isPart(after);
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].some((name) => wouldMove(before[name], after[name]));
}

function hasOtherMembers(before: readonly unknown[], after: readonly unknown[]): boolean {
  return (
    before.length !== after.length ||
    before.some((member, at) => {
      const other = after[at];
      return nameOf(member) !== nameOf(other) || wouldMove(member, other);
    })
  );
}

/** Identifies a member of a list: by its id, or by the id of the first object in it. */
function nameOf(member: unknown): unknown {
  if (!isTree(member)) return undefined;
  const own = member['id'] ?? member['cronId'];
  if (own !== undefined) return own;
  const subject = Object.values(member).find((part) => isTree(part) && 'id' in part);
  return isTree(subject) ? subject['id'] : undefined;
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isPart = (value: unknown) => typeof value === 'object' && value !== null;
